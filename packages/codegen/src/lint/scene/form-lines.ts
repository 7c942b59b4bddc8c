import type { FormChange, VendorForm } from '../../vendor-forms/vendor-form.js'

/** Beyond these a line is cut: people look at it in a terminal, and `--json` has the whole schema. */
const longest = 1_000
const mostChanges = 5

/** What a vendor's form changes, a line each, the first few of them. */
export function changeLines(changes: readonly FormChange[]): readonly string[] {
  const lines = changes.map(
    ({ pointer, keyword, message }) => `${pointer === '' ? '(root)' : pointer} ${keyword}: ${message}`,
  )
  const left = lines.length - mostChanges
  return left > 1 ? [...lines.slice(0, mostChanges), `${left} more changes`] : lines
}

/** The schema that is sent. */
export function sentLine({ schema }: VendorForm): string {
  const text = JSON.stringify(schema)
  return `sent: ${text.length > longest ? `${text.slice(0, longest)}… (${text.length} characters)` : text}`
}
