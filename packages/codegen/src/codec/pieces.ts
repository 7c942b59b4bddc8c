import { stringText } from '../text/literal.js'

/** A part of a text that generated code puts together. */
export type Piece =
  /** Always the same. */
  | { readonly kind: 'constant'; readonly text: string }
  /** An expression. */
  | { readonly kind: 'code'; readonly text: string; readonly isText: boolean }

/** Text that is always the same. */
export function constant(text: string): Piece {
  return { kind: 'constant', text }
}

/** An expression that is a text. */
export function textPiece(text: string): Piece {
  return { kind: 'code', text, isText: true }
}

/** An expression that becomes a text beside one: a number or a boolean. */
export function scalarPiece(text: string): Piece {
  return { kind: 'code', text, isText: false }
}

/** Pieces as one expression. */
export function piecesText(pieces: readonly Piece[]): string {
  const joined: Piece[] = []
  for (const piece of pieces) {
    const last = joined.at(-1)
    if (last?.kind === 'constant' && piece.kind === 'constant') joined.splice(-1, 1, constant(last.text + piece.text))
    else joined.push(piece)
  }
  const [first] = joined
  // What is no text at the beginning would be added, not joined.
  if (first === undefined || (first.kind === 'code' && !first.isText)) joined.unshift(constant(''))
  return joined.map((piece) => (piece.kind === 'constant' ? stringText(piece.text) : piece.text)).join(' + ')
}
