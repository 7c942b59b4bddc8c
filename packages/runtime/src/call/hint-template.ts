/** Maximum number of characters of a field in a hint. */
const MAX_FIELD = 120

export type HintTemplate = (value: unknown) => string

/**
 * Reads a hint template such as `Looking up {{orderId}}` or `{{customer.name}}`. Absent fields are empty; arrays and objects
 * are short JSON; line ends become spaces.
 *
 * @example
 * hintTemplate('Order {{id}} is {{status}}')({ id: 'A-1', status: 'open' }) // 'Order A-1 is open'
 */
export function hintTemplate(template: string): HintTemplate {
  return templateOf(template, (field) => {
    const line = fieldText(field).replace(/\s+/g, ' ')
    // Half a character cannot be written as UTF-8.
    return line.length <= MAX_FIELD ? line : `${line.slice(0, MAX_FIELD - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
  })
}

/** Fills in a template with complete fields: strings as they are, arrays and objects as JSON. */
export function templateText(template: string, value: unknown): string {
  return templateOf(template, fieldText)(value)
}

function templateOf(template: string, show: (field: unknown) => string): HintTemplate {
  // Texts and the paths between them alternate.
  const parts = template.split(/\{\{\s*([^{}]*?)\s*\}\}/)
  return (value) => parts.map((part, index) => (index % 2 === 0 ? part : show(fieldOf(value, part)))).join('')
}

function fieldOf(value: unknown, path: string): unknown {
  const has = (object: unknown, name: string): object is object =>
    typeof object === 'object' && object !== null && Object.hasOwn(object, name)
  // A name may contain a dot itself.
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
    // For example a bigint inside: a hint is not worth a failure.
    return '…'
  }
}
