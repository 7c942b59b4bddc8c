/** Returns a table of the rows as lines of text. Omits columns without values. */
export function table(rows, columns) {
  const header = columns.filter((key) => rows.some((row) => row[key] !== undefined))
  const cells = rows.map((row) => header.map((key) => cellText(row[key])))
  const widths = header.map((key, i) => Math.max(key.length, ...cells.map((row) => row[i].length)))
  return [header, ...cells]
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function cellText(value) {
  if (value === undefined) return ''
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return typeof value === 'number' ? String(Number(value.toPrecision(3))) : String(value)
}
