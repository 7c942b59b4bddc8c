/** The body of an answer: all of it, or its beginning where it is longer than it may be. */
export interface BoundedBody {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly isWhole: boolean
}

/** Reads a body up to so many bytes and lets go of the rest. */
export async function boundedBody({ body }: Response, longest: number): Promise<BoundedBody> {
  const reader = body?.getReader()
  const pieces: Uint8Array[] = []
  let size = 0
  for (;;) {
    const read = await reader?.read()
    if (read === undefined || read.done) return { bytes: joined(pieces, size), isWhole: true }
    pieces.push(read.value)
    size += read.value.length
    if (size > longest) {
      await reader?.cancel()
      return { bytes: joined(pieces, size).slice(0, longest), isWhole: false }
    }
  }
}

function joined(pieces: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(size)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}
