//! Numbers of fixed size, one after another. Ends where the bytes end; never panics.

/// What is left to be read; little endian, as every phone writes.
#[derive(Clone, Copy, Debug)]
pub struct Bytes<'a>(pub &'a [u8]);

impl<'a> Bytes<'a> {
    /// Two bytes.
    pub fn u16(&mut self) -> Option<u16> {
        let (chunk, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u16::from_le_bytes(*chunk))
    }

    /// Four bytes.
    pub fn u32(&mut self) -> Option<u32> {
        let (chunk, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u32::from_le_bytes(*chunk))
    }

    /// Four bytes, with a sign.
    pub fn i32(&mut self) -> Option<i32> {
        self.u32().map(u32::cast_signed)
    }

    /// Eight bytes.
    pub fn u64(&mut self) -> Option<u64> {
        let (chunk, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*chunk))
    }

    /// So many bytes.
    pub fn take(&mut self, length: u64) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(usize::try_from(length).ok()?)?;
        self.0 = rest;
        Some(taken)
    }

    /// Text up to its final zero, or to the end.
    pub fn text(&mut self) -> String {
        let end = memchr::memchr(0, self.0).unwrap_or(self.0.len());
        let text = String::from_utf8_lossy(&self.0[..end]).into_owned();
        self.0 = self.0.get(end + 1..).unwrap_or_default();
        text
    }
}

/// A part of a file, if it is inside.
pub fn section(file: &[u8], offset: u64, size: u64) -> Option<&[u8]> {
    let (from, size) = (usize::try_from(offset).ok()?, usize::try_from(size).ok()?);
    file.get(from..from.checked_add(size)?)
}
