/** Kind of a section with an anchor. */
type AnchorKind = 'agent' | 'toolset' | 'tool' | 'type'

/**
 * The anchor of a section: legal in HTML and in addresses as it stands, and different for different names.
 *
 * @example
 * anchorOf('tool', 'orders.getOrder') // tool-orders.getOrder
 */
export function anchorOf(kind: AnchorKind, name: string): string {
  return `${kind}-${name.replace(/[^\w.-]/g, (unit) => `~${unit.charCodeAt(0).toString(16)}~`)}`
}

/** A piece of a line. A plain string is text of the design or of ours; it is shown as it stands, whatever it holds. */
export type Inline =
  | string
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'strong'; readonly text: string }
  | { readonly kind: 'link'; readonly to: string; readonly label: Inline }

/** Pieces of one line. */
export type Line = readonly Inline[]

/** An entry of a list, with those below it. */
export interface Item {
  readonly line: Line
  readonly items?: readonly Item[]
}

/** Content between two headings. */
export type Block =
  | { readonly kind: 'line'; readonly line: Line }
  /** Text of several lines or paragraphs, as its author wrote it. */
  | { readonly kind: 'prose'; readonly text: string }
  | { readonly kind: 'quote'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly Item[] }
  /** Every row has as many cells as there are heads. */
  | { readonly kind: 'table'; readonly heads: readonly string[]; readonly rows: readonly (readonly Line[])[] }
  | { readonly kind: 'code'; readonly language: 'ts' | 'json'; readonly text: string }
  /** Shown on request, where the medium can do that. */
  | { readonly kind: 'folded'; readonly summary: string; readonly block: Block }

/** A part of a page under a heading of its own. */
export interface Section {
  /** Anchor, unique in the page; absent if nothing links to it. */
  readonly anchor?: string
  /** Tools can be looked for. */
  readonly role?: 'tool'
  readonly heading: Line
  readonly blocks: readonly Block[]
  readonly sections: readonly Section[]
}

/** Code within a line. */
export function code(text: string): Inline {
  return { kind: 'code', text }
}

/** Words that stand out. */
export function strong(text: string): Inline {
  return { kind: 'strong', text }
}

/** A way to another section. */
export function link(to: string, label: Inline): Inline {
  return { kind: 'link', to, label }
}

/** Lines one after the other in one line, with the same between them. */
export function joined(lines: readonly Line[], between: string): Line {
  return lines.flatMap((line, index) => (index === 0 ? line : [between, ...line]))
}

/** A table without the columns in which no row says anything; nothing without rows. */
export function table(heads: readonly string[], rows: readonly (readonly Line[])[]): readonly Block[] {
  if (rows.length === 0) return []
  const telling = heads.map((_, column) => rows.some((row) => (row[column]?.length ?? 0) > 0))
  const kept = <T>(cells: readonly T[]): readonly T[] => cells.filter((_, column) => telling[column])
  return [{ kind: 'table', heads: kept(heads), rows: rows.map((row) => kept(row)) }]
}
