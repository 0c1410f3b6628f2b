//! A screenshot, made small: PNG in, PNG out.
//!
//! Pure. What phones print is bounded before it is unpacked, and may be anything. Widths in px.

use png::{BitDepth, ColorType, Decoder, Encoder, Limits, Transformations};
use std::io::Cursor;

/// Width of a small picture.
pub(crate) const SMALL: usize = 180;
/// Width of one whose words can be read.
pub(crate) const READABLE: usize = 540;
/// Largest picture unpacked, bytes: a screen of 16 million pixels.
const UNPACKED: usize = 64 << 20;

/// Why no small picture was made of what a phone printed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoPicture {
    /// It is no PNG, or damaged.
    #[error("the picture cannot be read: {0}")]
    Unreadable(String),
    /// The small one cannot be written.
    #[error("the picture cannot be written: {0}")]
    Unwritten(String),
    /// It would unpack to more than any screen has.
    #[error("the picture is larger than any screen")]
    TooLarge,
    /// It has no pixels, or of a depth nobody prints.
    #[error("the picture has no pixels that can be read")]
    Empty,
}

/// The picture at most so wide, each pixel the mean of those it stands for.
///
/// # Errors
/// It is no PNG that can be read.
pub(crate) fn thumbnail(picture: &[u8], most: usize) -> Result<Vec<u8>, NoPicture> {
    let bad = |why: &dyn std::fmt::Display| NoPicture::Unreadable(why.to_string());
    let mut decoder = Decoder::new_with_limits(Cursor::new(picture), Limits { bytes: UNPACKED });
    decoder.set_transformations(Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(|why| bad(&why))?;
    let size = reader.output_buffer_size().filter(|size| *size <= UNPACKED);
    let mut pixels = vec![0; size.ok_or(NoPicture::TooLarge)?];
    let frame = reader.next_frame(&mut pixels).map_err(|why| bad(&why))?;
    let (wide, tall) = (frame.width as usize, frame.height as usize);
    let channels = frame.color_type.samples();
    if wide == 0 || tall == 0 || frame.bit_depth != BitDepth::Eight {
        return Err(NoPicture::Empty);
    }
    let scale = wide.div_ceil(most).max(1);
    let (small_wide, small_tall) = (wide.div_ceil(scale), tall.div_ceil(scale));
    let mut small = Vec::with_capacity(small_wide * small_tall * 3);
    for y in 0..small_tall {
        for x in 0..small_wide {
            small.extend(mean(
                &pixels,
                frame.line_size,
                channels,
                (x * scale, wide),
                (y * scale, tall),
                scale,
            ));
        }
    }
    let mut out = Vec::new();
    let mut encoder = Encoder::new(&mut out, small_wide as u32, small_tall as u32);
    encoder.set_color(ColorType::Rgb);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(png::Compression::High);
    let written = encoder.write_header().and_then(|mut writer| {
        writer.write_image_data(&small)?;
        writer.finish()
    });
    written.map_err(|why| NoPicture::Unwritten(why.to_string()))?;
    Ok(out)
}

/// Mean colour of a square of pixels, red, green, blue; of grey ones three times the same. How opaque a pixel is does
/// not matter: a screen shows what it shows.
fn mean(
    pixels: &[u8],
    line: usize,
    channels: usize,
    (left, wide): (usize, usize),
    (top, tall): (usize, usize),
    scale: usize,
) -> [u8; 3] {
    let mut sums = [0u32; 3];
    let mut count = 0u32;
    for y in top..(top + scale).min(tall) {
        for x in left..(left + scale).min(wide) {
            let at = y * line + x * channels;
            let colour = if channels >= 3 { [0, 1, 2] } else { [0; 3] };
            for (sum, channel) in sums.iter_mut().zip(colour) {
                *sum += u32::from(pixels.get(at + channel).copied().unwrap_or(0));
            }
            count += 1;
        }
    }
    sums.map(|sum| u8::try_from(sum / count.max(1)).unwrap_or(u8::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(wide: u32, tall: u32, colour: ColorType, pixel: impl Fn(u32, u32) -> Vec<u8>) -> Vec<u8> {
        let mut out = Vec::new();
        let mut encoder = Encoder::new(&mut out, wide, tall);
        encoder.set_color(colour);
        encoder.set_depth(BitDepth::Eight);
        let data: Vec<u8> =
            (0..tall).flat_map(|y| (0..wide).flat_map(|x| pixel(x, y)).collect::<Vec<u8>>()).collect();
        encoder.write_header().unwrap().write_image_data(&data).unwrap();
        out
    }

    fn read(png: &[u8]) -> (u32, u32, Vec<u8>) {
        let mut reader = Decoder::new(Cursor::new(png)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let frame = reader.next_frame(&mut pixels).unwrap();
        (frame.width, frame.height, pixels)
    }

    #[test]
    fn a_screen_becomes_small_and_keeps_its_colours() {
        // Red above, blue below, as phones print it: with a channel for how opaque it is.
        let red_blue = |_: u32, y: u32| if y < 1200 { vec![255, 0, 0, 255] } else { vec![0, 0, 255, 255] };
        let (wide, tall, pixels) =
            read(&thumbnail(&picture(1080, 2400, ColorType::Rgba, red_blue), SMALL).unwrap());
        assert_eq!((wide, tall), (180, 400));
        assert_eq!(pixels[..3], [255, 0, 0]);
        assert_eq!(pixels[pixels.len() - 3..], [0, 0, 255]);
        let (wide, _, pixels) =
            read(&thumbnail(&picture(3, 2, ColorType::Grayscale, |x, _| vec![x as u8 * 10]), SMALL).unwrap());
        assert_eq!((wide, &pixels[..9]), (3, &[0, 0, 0, 10, 10, 10, 20, 20, 20][..]));
    }

    #[test]
    fn what_is_no_picture_is_refused_in_words() {
        let whole = picture(8, 8, ColorType::Rgb, |x, y| vec![x as u8, y as u8, 0]);
        for bad in [&b""[..], b"screencap: not found\n", &whole[..whole.len() / 2], &[0x89, b'P', b'N', b'G']]
        {
            assert!(thumbnail(bad, SMALL).is_err());
        }
        // A head that promises more than any screen has.
        let mut huge = whole.clone();
        huge[16..24].copy_from_slice(&[0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff]);
        assert!(thumbnail(&huge, SMALL).is_err());
    }
}
