import { type Block, joined, type Line, table } from '../page/page.js'
import type { FieldRow } from './field-rows.js'
import { jsonCode } from './type-words.js'

/** Fields as a table; columns of which no field has anything are left out. */
export function fieldTable(rows: readonly FieldRow[], head: string): readonly Block[] {
  return table(
    [head, 'Type', 'Required', 'Default', 'Rules', 'Description'],
    rows.map((row) => [
      row.path,
      row.type,
      requiredWords(row),
      row.default === undefined ? [] : [jsonCode(row.default)],
      joined(row.rules, '; '),
      row.description === undefined ? [] : [row.description.trim()],
    ]),
  )
}

function requiredWords({ required }: FieldRow): Line {
  if (required === undefined) return []
  return [required ? 'yes' : 'no']
}
