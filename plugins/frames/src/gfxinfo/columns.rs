//! The columns of a framestats block by name: which ones a header names, and the cells of one row.
//!
//! The sets grew from 14 columns (Android 7) to 26 (16) and moved; only names are trusted. Unknown names are ignored.
//! Must not know: what makes a row valid.

use crate::text::integer;

/// Most columns a header may have; the widest known set has 26.
const WIDEST: usize = 64;

/// The columns that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(crate) enum Column {
    Flags,
    IntendedVsync,
    Vsync,
    HandleInputStart,
    AnimationStart,
    PerformTraversalsStart,
    DrawStart,
    FrameInterval,
    FrameStartTime,
    SyncQueued,
    SyncStart,
    IssueDrawCommandsStart,
    SwapBuffers,
    FrameCompleted,
    GpuCompleted,
    SwapBuffersCompleted,
    DisplayPresentTime,
}

use Column::*;

const KNOWN: [(&[u8], Column); 17] = [
    (b"Flags", Flags),
    (b"IntendedVsync", IntendedVsync),
    (b"Vsync", Vsync),
    (b"HandleInputStart", HandleInputStart),
    (b"AnimationStart", AnimationStart),
    (b"PerformTraversalsStart", PerformTraversalsStart),
    (b"DrawStart", DrawStart),
    (b"FrameInterval", FrameInterval),
    (b"FrameStartTime", FrameStartTime),
    (b"SyncQueued", SyncQueued),
    (b"SyncStart", SyncStart),
    (b"IssueDrawCommandsStart", IssueDrawCommandsStart),
    (b"SwapBuffers", SwapBuffers),
    (b"FrameCompleted", FrameCompleted),
    (b"GpuCompleted", GpuCompleted),
    (b"SwapBuffersCompleted", SwapBuffersCompleted),
    (b"DisplayPresentTime", DisplayPresentTime),
];

/// A header line, understood.
#[derive(Clone, Debug)]
pub(crate) struct Header {
    columns: Vec<Option<Column>>,
}

impl Header {
    /// Reads a header line. `None` unless it names `Flags` first, and `IntendedVsync` and `FrameCompleted`.
    pub fn read(line: &[u8]) -> Option<Header> {
        if !line.starts_with(b"Flags,") {
            return None;
        }
        let line = line.trim_ascii();
        let line = line.strip_suffix(b",").unwrap_or(line);
        let name = |text: &[u8]| {
            KNOWN.iter().find(|(known, _)| *known == text.trim_ascii()).map(|&(_, column)| column)
        };
        let columns: Vec<_> = line.split(|&byte| byte == b',').take(WIDEST + 1).map(name).collect();
        let named = |column| columns.contains(&Some(column));
        (columns.len() <= WIDEST && named(IntendedVsync) && named(FrameCompleted))
            .then_some(Header { columns })
    }

    /// Reads a row. `None` when it is not as many integers as the header has names.
    pub fn row(&self, line: &[u8]) -> Option<Cells> {
        let line = line.trim_ascii_end();
        let line = line.strip_suffix(b",").unwrap_or(line);
        let mut cells = Cells([None; KNOWN.len()]);
        let mut rest = line;
        for (nth, column) in self.columns.iter().enumerate() {
            if nth > 0 {
                rest = rest.strip_prefix(b",")?;
            }
            let (value, length) = integer(rest)?;
            rest = &rest[length..];
            if let Some(column) = column {
                cells.0[*column as usize].get_or_insert(value);
            }
        }
        rest.is_empty().then(|| cells.straightened())
    }
}

/// The known cells of one row; columns the header does not name are `None`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cells([Option<i64>; KNOWN.len()]);

impl Cells {
    /// The cell of a column.
    pub fn get(&self, column: Column) -> Option<i64> {
        self.0[column as usize]
    }

    /// Android 12 and 13 print FrameStartTime under the name FrameInterval and the other way round: a start time is
    /// hours, an interval below a second.
    fn straightened(mut self) -> Self {
        const SECOND: i64 = 1_000_000_000;
        if let (Some(interval), Some(start)) = (self.get(FrameInterval), self.get(FrameStartTime))
            && interval > SECOND
            && start < SECOND
        {
            self.0.swap(FrameInterval as usize, FrameStartTime as usize);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_follow_their_names_wherever_they_stand() {
        let header = Header::read(b"Flags,New,FrameCompleted,IntendedVsync,").expect("a header");
        let row = header.row(b"2,77,300,100,\r").expect("a row");
        assert_eq!(row.get(Flags), Some(2));
        assert_eq!(row.get(IntendedVsync), Some(100));
        assert_eq!(row.get(FrameCompleted), Some(300));
        assert_eq!(row.get(Vsync), None);
        for wrong in ["2,77,300,", "2,77,300,100,5,", "2,77,,100,", "2,77,300,x,", "", "2;77;300;100"] {
            assert!(header.row(wrong.as_bytes()).is_none(), "{wrong}");
        }
    }

    #[test]
    fn a_header_must_name_what_cannot_be_missed() {
        for wrong in [
            "Flags,IntendedVsync,",
            "Flags,FrameCompleted,",
            "Draw\tPrepare",
            "IntendedVsync,Flags,FrameCompleted",
        ] {
            assert!(Header::read(wrong.as_bytes()).is_none(), "{wrong}");
        }
        assert!(
            Header::read(format!("Flags,IntendedVsync,FrameCompleted{}", ",x".repeat(500)).as_bytes())
                .is_none()
        );
    }

    #[test]
    fn swapped_values_are_put_back_and_straight_ones_left() {
        let header = Header::read(b"Flags,IntendedVsync,FrameInterval,FrameStartTime,FrameCompleted,")
            .expect("a header");
        for row in ["0,1,314856675794159,8311935,2,", "0,1,8311935,314856675794159,2,"] {
            let cells = header.row(row.as_bytes()).expect("a row");
            assert_eq!(cells.get(FrameInterval), Some(8_311_935));
            assert_eq!(cells.get(FrameStartTime), Some(314_856_675_794_159));
        }
    }
}
