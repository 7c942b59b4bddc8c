const MAX_FIELD = 120

export type HintTemplate = (value: unknown) => string

export function hintTemplate(template: string): HintTemplate {
  return templateOf(template, (field) => {
    const line = fieldText(field).replace(/\s+/g, ' ')
    // Removes half of a surrogate pair, which cannot be encoded as UTF-8.
    return line.length <= MAX_FIELD ? line : `${line.slice(0, MAX_FIELD - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
  })
}

export function templateText(template: string, value: unknown): string {
  return templateOf(template, fieldText)(value)
}

function templateOf(template: string, show: (field: unknown) => string): HintTemplate {
  // Even indices are text, odd indices are paths.
  const parts = template.split(/\{\{\s*([^{}]*?)\s*\}\}/)
  return (value) => parts.map((part, index) => (index % 2 === 0 ? part : show(fieldOf(value, part)))).join('')
}

function fieldOf(value: unknown, path: string): unknown {
  const has = (object: unknown, name: string): object is object =>
    typeof object === 'object' && object !== null && Object.hasOwn(object, name)
  // Property names may contain dots.
  const names = has(value, path) ? [path] : path.split('.')
  return names.reduce<unknown>((object, name) => (has(object, name) ? Reflect.get(object, name) : undefined), value)
}

function fieldText(field: unknown): string {
  if (field === undefined || field === null) return ''
  if (field instanceof Date) return Number.isNaN(field.getTime()) ? '' : field.toISOString()
  if (typeof field !== 'object') return String(field)
  try {
    return JSON.stringify(field) ?? ''
  } catch {
    // A value that JSON cannot represent, such as a bigint, must not fail the call.
    return '…'
  }
}
