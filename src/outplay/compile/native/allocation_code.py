"""The functions that allocate and free memory in compiled code, in LLVM's language; `memory` has the pools."""

from typing import Any

from outplay.compile.native.memory import KEPT, POOLS, SIZES, WORDS


def _in_text(text: str, **values: Any) -> str:
    for name, value in values.items():
        text = text.replace(f"<{name}>", str(value))
    return text


def _counts(linkage: str, attribute: str) -> str:
    """The functions that count references."""
    return _in_text(
        r"""
define <LINKAGE> void @NRT_incref(ptr %info) <ATTRIBUTE> {
  %is_null = icmp eq ptr %info, null
  br i1 %is_null, label %end, label %count
count:
  %now = load i64, ptr %info
  %more = add i64 %now, 1
  store i64 %more, ptr %info
  ret void
end:
  ret void
}

define <LINKAGE> void @NRT_decref(ptr %info) <ATTRIBUTE> {
  %is_null = icmp eq ptr %info, null
  br i1 %is_null, label %end, label %count
count:
  %now = load i64, ptr %info
  %less = sub i64 %now, 1
  store i64 %less, ptr %info
  %is_last = icmp eq i64 %less, 0
  br i1 %is_last, label %last, label %end
last:
  call void @outplay_end(ptr %info)
  ret void
end:
  ret void
}
""",
        LINKAGE=linkage,
        ATTRIBUTE=attribute,
    )


MODULE = _in_text(
    r"""
%MemInfo = type { i64, ptr, ptr, ptr, i64, ptr }  ; references, destructor, its data, the block, its size, allocator

@outplay_pools = external global [<WORDS_OF_ALL> x i64]

declare ptr @NRT_Allocate(i64)
declare void @NRT_Free(ptr)
declare void @NRT_MemInfo_call_dtor(ptr)
declare ptr @llvm.thread.pointer()
declare i64 @llvm.ctlz.i64(i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

; -- pools ------------------------------------------------------------------------------------------------------------

; The pool of this thread; null if it has none.
define weak_odr ptr @outplay_pool() {
  %thread = call ptr @llvm.thread.pointer()
  %self = ptrtoint ptr %thread to i64
  %mixed = mul i64 %self, -7046029254386353131  ; the threads of searches lie 512 MB apart
  %place = lshr i64 %mixed, <SHIFT>
  %word = mul i64 %place, <WORDS>
  %pool = getelementptr i64, ptr @outplay_pools, i64 %word
  %owner = load atomic i64, ptr %pool monotonic, align 8
  %is_own = icmp eq i64 %owner, %self
  br i1 %is_own, label %found, label %look
found:
  ret ptr %pool
look:
  %other = call ptr @outplay_other_pool(i64 %self, i64 %place)
  ret ptr %other
}

; The same where the first choice belongs to another thread, or to none.
define weak_odr ptr @outplay_other_pool(i64 %self, i64 %first) noinline cold {
start:
  br label %try
try:
  %place = phi i64 [ %first, %start ], [ %after, %next ]
  %tried = phi i64 [ 0, %start ], [ %more, %next ]
  %word = mul i64 %place, <WORDS>
  %pool = getelementptr i64, ptr @outplay_pools, i64 %word
  %claim = cmpxchg ptr %pool, i64 0, i64 %self acquire monotonic
  %was_free = extractvalue { i64, i1 } %claim, 1
  %owner = extractvalue { i64, i1 } %claim, 0
  %is_own = icmp eq i64 %owner, %self
  %found = or i1 %was_free, %is_own
  br i1 %found, label %take, label %next
take:
  ret ptr %pool
next:
  %more = add i64 %tried, 1
  %sum = add i64 %place, 1
  %after = and i64 %sum, <LAST_POOL>
  %is_last = icmp eq i64 %more, 8
  br i1 %is_last, label %none, label %try
none:
  ret ptr null
}

; The number of the smallest block for so many bytes; <SIZES> or more if there is none.
define weak_odr i64 @outplay_size(i64 %bytes) alwaysinline {
  %at_least = call i64 @llvm.umax.i64(i64 %bytes, i64 32)
  %less = sub i64 %at_least, 1
  %zeros = call i64 @llvm.ctlz.i64(i64 %less, i1 true)
  %number = sub i64 59, %zeros
  ret i64 %number
}
declare i64 @llvm.umax.i64(i64, i64)

; A block of this number: of so many bytes if it is not small.
define weak_odr ptr @outplay_take(i64 %number, i64 %bytes) {
  %is_small = icmp ult i64 %number, <SIZES>
  br i1 %is_small, label %small, label %large
small:
  %pool = call ptr @outplay_pool()
  %has_none = icmp eq ptr %pool, null
  br i1 %has_none, label %fresh, label %look
look:
  %at = add i64 %number, 1
  %head = getelementptr i64, ptr %pool, i64 %at
  %block = load ptr, ptr %head
  %is_empty = icmp eq ptr %block, null
  br i1 %is_empty, label %fresh, label %take
take:
  %next = load ptr, ptr %block
  store ptr %next, ptr %head
  %counter_at = add i64 %number, <COUNTS>
  %counter = getelementptr i64, ptr %pool, i64 %counter_at
  %count = load i64, ptr %counter
  %less = sub i64 %count, 1
  store i64 %less, ptr %counter
  ret ptr %block
fresh:
  %whole = shl i64 32, %number
  %new = call ptr @NRT_Allocate(i64 %whole)
  ret ptr %new
large:
  %made = call ptr @NRT_Allocate(i64 %bytes)
  ret ptr %made
}

; Give a block of this number back.
define weak_odr void @outplay_drop(ptr %block, i64 %number) {
  %is_small = icmp ult i64 %number, <SIZES>
  br i1 %is_small, label %small, label %free
small:
  %pool = call ptr @outplay_pool()
  %has_none = icmp eq ptr %pool, null
  br i1 %has_none, label %free, label %look
look:
  %counter_at = add i64 %number, <COUNTS>
  %counter = getelementptr i64, ptr %pool, i64 %counter_at
  %count = load i64, ptr %counter
  %bytes = shl i64 %count, %number
  %is_full = icmp uge i64 %bytes, <KEPT_32>
  br i1 %is_full, label %free, label %keep
keep:
  %at = add i64 %number, 1
  %head = getelementptr i64, ptr %pool, i64 %at
  %next = load ptr, ptr %head
  store ptr %next, ptr %block
  store ptr %block, ptr %head
  %more = add i64 %count, 1
  store i64 %more, ptr %counter
  ret void
free:
  call void @NRT_Free(ptr %block)
  ret void
}

; -- blocks that know their size: before what they hold, their number and how many bytes they hold ---------------------
; A number from <INLINE> on is that of the block that the counter of references is in too: it is freed with the counter.

define weak_odr ptr @outplay_allocate(i64 %size) {
  %bytes = add i64 %size, 16
  %number = call i64 @outplay_size(i64 %bytes)
  %block = call ptr @outplay_take(i64 %number, i64 %bytes)
  %is_small = icmp ult i64 %number, <SIZES>
  %whole = shl i64 32, %number
  %rest = sub i64 %whole, 16
  %held = select i1 %is_small, i64 %rest, i64 %size
  %failed = icmp eq ptr %block, null
  br i1 %failed, label %none, label %done
done:
  store i64 %number, ptr %block
  %held_at = getelementptr i8, ptr %block, i64 8
  store i64 %held, ptr %held_at
  %place = getelementptr i8, ptr %block, i64 16
  ret ptr %place
none:
  ret ptr null
}

define weak_odr void @outplay_free(ptr %place) {
  %is_null = icmp eq ptr %place, null
  br i1 %is_null, label %done, label %look
look:
  %block = getelementptr i8, ptr %place, i64 -16
  %number = load i64, ptr %block
  %is_inline = icmp uge i64 %number, <INLINE>
  br i1 %is_inline, label %done, label %drop
drop:
  call void @outplay_drop(ptr %block, i64 %number)
  ret void
done:
  ret void
}

define weak_odr ptr @outplay_reallocate(ptr %place, i64 %size) {
  %held_at = getelementptr i8, ptr %place, i64 -8
  %held = load i64, ptr %held_at
  %fits = icmp ule i64 %size, %held
  br i1 %fits, label %same, label %move
same:
  ret ptr %place
move:
  %new = call ptr @outplay_allocate(i64 %size)
  %failed = icmp eq ptr %new, null
  br i1 %failed, label %none, label %copy
copy:
  call void @llvm.memcpy.p0.p0.i64(ptr %new, ptr %place, i64 %held, i1 false)
  call void @outplay_free(ptr %place)
  ret ptr %new
none:
  ret ptr null
}

; -- Numba's functions ------------------------------------------------------------------------------------------------

define weak_odr void @outplay_fill(ptr %info, ptr %dtor, ptr %dtor_info, ptr %data, i64 %size) alwaysinline {
  store i64 1, ptr %info
  %dtor_at = getelementptr %MemInfo, ptr %info, i64 0, i32 1
  store ptr %dtor, ptr %dtor_at
  %dtor_info_at = getelementptr %MemInfo, ptr %info, i64 0, i32 2
  store ptr %dtor_info, ptr %dtor_info_at
  %data_at = getelementptr %MemInfo, ptr %info, i64 0, i32 3
  store ptr %data, ptr %data_at
  %size_at = getelementptr %MemInfo, ptr %info, i64 0, i32 4
  store i64 %size, ptr %size_at
  %allocator_at = getelementptr %MemInfo, ptr %info, i64 0, i32 5
  store ptr null, ptr %allocator_at
  ret void
}

; The destructor of a block of changing size, and of an object.
define weak_odr void @outplay_end_of_changing(ptr %data, i64 %size, ptr %of_items) {
  %has_items = icmp ne ptr %of_items, null
  br i1 %has_items, label %items, label %block
items:
  call void %of_items(ptr %data)
  br label %block
block:
  call void @outplay_free(ptr %data)
  ret void
}
define weak_odr void @outplay_end_of_object(ptr %data, i64 %size, ptr %own) {
  %has_own = icmp ne ptr %own, null
  br i1 %has_own, label %run, label %end
run:
  call void %own(ptr %data, i64 %size, ptr null)
  br label %end
end:
  ret void
}

; Lists and sets: what they hold first is in the block of the counter; if it outgrows that, in a block of its own.
define weak_odr ptr @NRT_MemInfo_new_varsize_dtor(i64 %size, ptr %of_items) {
  %bytes = add i64 %size, 64
  %number = call i64 @outplay_size(i64 %bytes)
  %info = call ptr @outplay_take(i64 %number, i64 %bytes)
  %failed = icmp eq ptr %info, null
  br i1 %failed, label %none, label %fill
fill:
  %data = getelementptr i8, ptr %info, i64 64
  call void @outplay_fill(ptr %info, ptr @outplay_end_of_changing, ptr %of_items, ptr %data, i64 %size)
  %mark = add i64 %number, <INLINE>
  %mark_at = getelementptr i8, ptr %info, i64 48
  store i64 %mark, ptr %mark_at
  %is_small = icmp ult i64 %number, <SIZES>
  %whole = shl i64 32, %number
  %rest = sub i64 %whole, 64
  %held = select i1 %is_small, i64 %rest, i64 %size
  %held_at = getelementptr i8, ptr %info, i64 56
  store i64 %held, ptr %held_at
  ret ptr %info
none:
  ret ptr null
}
define weak_odr ptr @NRT_MemInfo_new_varsize(i64 %size) {
  %info = call ptr @NRT_MemInfo_new_varsize_dtor(i64 %size, ptr null)
  ret ptr %info
}
define weak_odr ptr @NRT_MemInfo_varsize_alloc(ptr %info, i64 %size) {
  %data = call ptr @outplay_allocate(i64 %size)
  %done = call ptr @outplay_moved(ptr %info, ptr %data, i64 %size)
  ret ptr %done
}
define weak_odr ptr @NRT_MemInfo_varsize_realloc(ptr %info, i64 %size) {
  %data_at = getelementptr %MemInfo, ptr %info, i64 0, i32 3
  %old = load ptr, ptr %data_at
  %data = call ptr @outplay_reallocate(ptr %old, i64 %size)
  %done = call ptr @outplay_moved(ptr %info, ptr %data, i64 %size)
  ret ptr %done
}
define weak_odr ptr @outplay_moved(ptr %info, ptr %data, i64 %size) alwaysinline {
  %failed = icmp eq ptr %data, null
  br i1 %failed, label %end, label %keep
keep:
  %data_at = getelementptr %MemInfo, ptr %info, i64 0, i32 3
  store ptr %data, ptr %data_at
  %size_at = getelementptr %MemInfo, ptr %info, i64 0, i32 4
  store i64 %size, ptr %size_at
  br label %end
end:
  ret ptr %data
}
define weak_odr void @NRT_MemInfo_varsize_free(ptr %info, ptr %data) {
  call void @outplay_free(ptr %data)
  %data_at = getelementptr %MemInfo, ptr %info, i64 0, i32 3
  %now = load ptr, ptr %data_at
  %is_own = icmp eq ptr %now, %data
  br i1 %is_own, label %forget, label %end
forget:
  store ptr null, ptr %data_at
  br label %end
end:
  ret void
}

; Objects: the counter and the object in one block.
define weak_odr ptr @NRT_MemInfo_alloc_dtor(i64 %size, ptr %own) {
  %bytes = add i64 %size, 48
  %number = call i64 @outplay_size(i64 %bytes)
  %info = call ptr @outplay_take(i64 %number, i64 %bytes)
  %failed = icmp eq ptr %info, null
  br i1 %failed, label %none, label %fill
fill:
  %data = getelementptr i8, ptr %info, i64 48
  call void @outplay_fill(ptr %info, ptr @outplay_end_of_object, ptr %own, ptr %data, i64 %size)
  ret ptr %info
none:
  ret ptr null
}

; Arrays: the same, with a mark and the number of the block, as they have no destructor.
define weak_odr ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 %alignment) {
  %align = zext i32 %alignment to i64
  %double = shl i64 %align, 1
  %margin = add i64 %double, 48
  %bytes = add i64 %size, %margin
  %number = call i64 @outplay_size(i64 %bytes)
  %info = call ptr @outplay_take(i64 %number, i64 %bytes)
  %note = or i64 %number, <MARK>
  %failed = icmp eq ptr %info, null
  br i1 %failed, label %none, label %fill
fill:
  %start = ptrtoint ptr %info to i64
  %first = add i64 %start, 48
  %last = sub i64 %align, 1
  %raised = add i64 %first, %last
  %mask = sub i64 0, %align
  %aligned = and i64 %raised, %mask
  %data = inttoptr i64 %aligned to ptr
  %noted = inttoptr i64 %note to ptr
  call void @outplay_fill(ptr %info, ptr null, ptr %noted, ptr %data, i64 %size)
  ret ptr %info
none:
  ret ptr null
}

; Texts: as arrays.
define weak_odr ptr @NRT_MemInfo_alloc(i64 %size) {
  %info = call ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 16)
  ret ptr %info
}

define weak_odr ptr @NRT_MemInfo_data_fast(ptr %info) {
  %data_at = getelementptr %MemInfo, ptr %info, i64 0, i32 3
  %data = load ptr, ptr %data_at
  ret ptr %data
}

; `weak`, so that LLVM does not look into them before those that cancel out are dropped.
<OF_REFERENCES>

; The end of an array, list, set or object.
define weak_odr void @outplay_end(ptr %info) noinline {
  %dtor_at = getelementptr %MemInfo, ptr %info, i64 0, i32 1
  %dtor = load ptr, ptr %dtor_at
  %dtor_info_at = getelementptr %MemInfo, ptr %info, i64 0, i32 2
  %dtor_info = load ptr, ptr %dtor_info_at
  %data_at = getelementptr %MemInfo, ptr %info, i64 0, i32 3
  %data = load ptr, ptr %data_at
  %size_at = getelementptr %MemInfo, ptr %info, i64 0, i32 4
  %size = load i64, ptr %size_at
  %is_changing = icmp eq ptr %dtor, @outplay_end_of_changing
  br i1 %is_changing, label %changing, label %not_changing
changing:
  call void @outplay_end_of_changing(ptr %data, i64 %size, ptr %dtor_info)
  %mark_at = getelementptr i8, ptr %info, i64 48
  %mark = load i64, ptr %mark_at
  %place = sub i64 %mark, <INLINE>
  call void @outplay_drop(ptr %info, i64 %place)
  ret void
not_changing:
  %is_object = icmp eq ptr %dtor, @outplay_end_of_object
  br i1 %is_object, label %object, label %not_object
object:
  call void @outplay_end_of_object(ptr %data, i64 %size, ptr %dtor_info)
  %bytes = add i64 %size, 48
  %number = call i64 @outplay_size(i64 %bytes)
  call void @outplay_drop(ptr %info, i64 %number)
  ret void
not_object:
  %note = ptrtoint ptr %dtor_info to i64
  %marked = and i64 %note, -64
  %is_marked = icmp eq i64 %marked, <MARK>
  %has_none = icmp eq ptr %dtor, null
  %is_array = and i1 %is_marked, %has_none
  br i1 %is_array, label %array, label %other
array:
  %noted = and i64 %note, 63
  call void @outplay_drop(ptr %info, i64 %noted)
  ret void
other:
  call void @NRT_MemInfo_call_dtor(ptr %info)
  ret void
}
""",
    OF_REFERENCES=_counts("weak", ""),
    WORDS_OF_ALL=POOLS * WORDS,
    WORDS=WORDS,
    SHIFT=64 - (POOLS - 1).bit_length(),
    LAST_POOL=POOLS - 1,
    SIZES=SIZES,
    INLINE=64,
    COUNTS=SIZES + 1,
    KEPT_32=KEPT // 32,
    MARK=0x6F7574706C617900 & ~63,
)
"""The functions, in LLVM's language."""


COUNTS = f"declare void @outplay_end(ptr)\n{_counts('', 'alwaysinline')}"
"""Those that count references, to be linked at last: they become part of the code that calls them."""


SHARED = ("NRT_incref", "NRT_decref", "outplay_end")
"""The functions that both texts have."""
