//! What a unit has of its bytes from earlier chunks.

use alloc::vec::Vec;
use core::ops::Range;

use super::Place;

/// What a buffer may keep of its capacity from one unit to the next, in bytes.
const RETAIN: usize = 4 << 10;

/// The bytes of the unit that a chunk's end cut. A unit that lies in one chunk is never copied.
#[derive(Debug, Default)]
pub(super) struct Carry {
    bytes: Vec<u8>,
    /// `bytes` is a unit that was handed out.
    delivered: bool,
}

impl Carry {
    /// The whole unit: what is held and the part of `chunk` that ends it.
    pub(super) fn complete(&mut self, chunk: &[u8], part: Range<usize>) -> Place {
        if self.bytes.is_empty() {
            return Place::Chunk(part);
        }
        self.keep(&chunk[part], usize::MAX);
        self.delivered = true;
        Place::Data(0..self.bytes.len())
    }

    /// Holds a part; the unit will not be longer than `limit`.
    pub(super) fn keep(&mut self, part: &[u8], limit: usize) {
        let needed = self.bytes.len() + part.len();
        if needed > self.bytes.capacity() {
            let capacity = needed.max((2 * self.bytes.capacity()).min(limit)).max(64);
            self.bytes.reserve_exact(capacity - self.bytes.len());
        }
        self.bytes.extend_from_slice(part);
    }

    /// To be called before anything else is done with the next chunk.
    #[inline]
    pub(super) fn forget_delivered(&mut self) {
        if self.delivered {
            self.forget();
        }
    }

    /// Drops what is held, and gives memory back that one large unit needed.
    pub(super) fn forget(&mut self) {
        self.delivered = false;
        if self.bytes.capacity() > RETAIN {
            self.bytes = Vec::new();
        }
        self.bytes.clear();
    }

    pub(super) fn held(&self) -> &[u8] {
        &self.bytes
    }

    /// All that is held, as the last unit of the stream.
    pub(super) fn rest(&mut self) -> Place {
        self.delivered = true;
        Place::Data(0..self.bytes.len())
    }

    #[inline]
    pub(super) fn bytes<'a>(&'a self, place: &Place, chunk: &'a [u8]) -> &'a [u8] {
        let (bytes, range) = match place {
            Place::Chunk(range) => (chunk, range),
            Place::Data(range) | Place::Name(range) | Place::Line(range) => {
                (&self.bytes[..], range)
            }
        };
        bytes.get(range.clone()).unwrap_or_default()
    }
}
