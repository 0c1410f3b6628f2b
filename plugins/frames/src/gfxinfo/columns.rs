//! The columns of a framestats block by name: which ones a header names, and the cells of one row.
//!
//! The sets grew from 14 columns (Android 7) to 26 (16) and moved; only names are trusted. Unknown names are ignored.
//! Must not know: what makes a row valid.

use crate::text::Integers;

/// Most columns a header may have; the widest known set has 26.
const WIDEST: usize = 64;

macro_rules! columns {
    ($($name:ident)*) => {
        /// The columns that are known; their names are those of the header.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(usize)]
        pub(crate) enum Column { $($name),* }

        const KNOWN: &[(&str, Column)] = &[$((stringify!($name), Column::$name)),*];
    };
}

columns! {
    Flags FrameTimelineVsyncId IntendedVsync Vsync OldestInputEvent NewestInputEvent
    InputEventId HandleInputStart AnimationStart PerformTraversalsStart DrawStart FrameDeadline
    FrameInterval FrameStartTime WorkloadTarget SyncQueued SyncStart IssueDrawCommandsStart
    SwapBuffers FrameCompleted DequeueBufferDuration QueueBufferDuration GpuCompleted SwapBuffersCompleted
    DisplayPresentTime CommandSubmissionCompleted
}

use Column::*;

/// How many columns are known: their cells fit one set of bits.
const COLUMNS: usize = KNOWN.len();
const _: () = assert!(COLUMNS <= 32);

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
            let text = text.trim_ascii();
            KNOWN.iter().find(|(known, _)| known.as_bytes() == text).map(|&(_, column)| column)
        };
        let mut columns: Vec<Option<Column>> = Vec::new();
        for column in line.split(|&byte| byte == b',').take(WIDEST + 1).map(name) {
            // Of two columns of one name the first counts.
            columns.push(column.filter(|_| !columns.contains(&column)));
        }
        let named = |column| columns.contains(&Some(column));
        (columns.len() <= WIDEST && named(IntendedVsync) && named(FrameCompleted))
            .then_some(Header { columns })
    }

    /// Reads a row. `None` when it is not as many integers as the header has names.
    pub fn row(&self, line: &[u8]) -> Option<Cells> {
        let line = line.trim_ascii_end();
        let line = line.strip_suffix(b",").unwrap_or(line);
        let mut cells = Cells { values: [0; COLUMNS], named: 0 };
        let mut integers = Integers::default();
        let mut rest = line;
        for (nth, column) in self.columns.iter().enumerate() {
            if nth > 0 {
                rest = rest.strip_prefix(b",")?;
            }
            let (value, length) = integers.next(rest)?;
            rest = &rest[length..];
            if let Some(column) = column {
                cells.values[*column as usize] = value;
                cells.named |= 1 << *column as usize;
            }
        }
        rest.is_empty().then(|| cells.straightened())
    }
}

/// The known cells of one row; columns the header does not name are `None`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cells {
    values: [i64; COLUMNS],
    /// Bit n: column n is named.
    named: u32,
}

impl Cells {
    /// The cell of a column.
    pub fn get(&self, column: Column) -> Option<i64> {
        let nth = column as usize;
        (self.named & (1 << nth) != 0).then(|| self.values[nth])
    }

    /// Android 12 and 13 print FrameStartTime under the name FrameInterval and the other way round: a start time is
    /// hours, an interval below a second.
    fn straightened(mut self) -> Self {
        const SECOND: i64 = 1_000_000_000;
        if let (Some(interval), Some(start)) = (self.get(FrameInterval), self.get(FrameStartTime))
            && interval > SECOND
            && start < SECOND
        {
            self.values.swap(FrameInterval as usize, FrameStartTime as usize);
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
