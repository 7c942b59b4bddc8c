/** What texts of a format look like, where its name alone does not say. */
const samples: ReadonlyMap<string, string> = new Map([
  ['date-time', '2026-01-31T09:30:00Z'],
  ['date', '2026-01-31'],
  ['decimal integer', '-42'],
  ['base64', 'SGVsbG8='],
  ['time', '09:30:00Z'],
  ['duration', 'P1DT2H'],
  ['uuid', '123e4567-e89b-12d3-a456-426614174000'],
])

/** A correct text of a format; `undefined` where its name says enough, or is not known. */
export function formatSample(format: string): string | undefined {
  return samples.get(format)
}

/** A text of a format that has a sample, in words: `a date-time text such as 2026-01-31T09:30:00Z`. */
export function formatInWords(format: string): string {
  const sample = samples.get(format)
  return sample === undefined ? `a ${format} text` : `a ${format} text such as ${sample}`
}
