//! An allocator that counts.
#![allow(dead_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    /// Allocations so far.
    pub static COUNT: Cell<u64> = const { Cell::new(0) };
    /// Bytes that are allocated now.
    pub static LIVE: Cell<i64> = const { Cell::new(0) };
    /// The most that were, since somebody set it.
    pub static PEAK: Cell<i64> = const { Cell::new(0) };
}

fn note(bytes: i64) {
    let live = LIVE.get() + bytes;
    LIVE.set(live);
    PEAK.set(PEAK.get().max(live));
    COUNT.set(COUNT.get() + u64::from(bytes > 0));
}

/// Counts what the current thread allocates.
pub struct Counting;

unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size() as i64);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        note(-(layout.size() as i64));
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note(size as i64 - layout.size() as i64);
        unsafe { System.realloc(memory, layout, size) }
    }
}
