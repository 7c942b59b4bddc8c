/** Maximum number of characters of a field in a hint. */
const MAX_FIELD = 120

/** A template that was read once: fills in the fields of a value. */
export type HintTemplate = (value: unknown) => string

/** Reads a hint template, for those who fill it in again and again; see {@link hintText}. */
export function hintTemplate(template: string): HintTemplate {
  return filling(template, shown)
}

/**
 * A hint template with its fields filled in: `Looking up {{orderId}}`, `{{customer.name}}`. A field that is absent is
 * shown as nothing; lists and objects are shown as short JSON; line ends become spaces.
 *
 * @example
 * hintText('Order {{id}} is {{status}}', { id: 'A-1', status: 'open' }) // 'Order A-1 is open'
 */
export function hintText(template: string, value: unknown): string {
  return hintTemplate(template)(value)
}

/** A template with its fields filled in, whole: a text is shown as it is, lists and objects as JSON. */
export function templateText(template: string, value: unknown): string {
  return filling(template, fullText)(value)
}

function filling(template: string, show: (field: unknown) => string): HintTemplate {
  // Texts and the paths between them take turns.
  const parts = template.split(/\{\{\s*([^{}]*?)\s*\}\}/)
  return (value) => parts.map((part, index) => (index % 2 === 0 ? part : show(fieldOf(value, part)))).join('')
}

function fieldOf(value: unknown, path: string): unknown {
  // A name may hold a dot itself.
  if (typeof value === 'object' && value !== null && Object.hasOwn(value, path)) return Reflect.get(value, path)
  return path.split('.').reduce<unknown>((inner, name) => {
    if (typeof inner !== 'object' || inner === null || !Object.hasOwn(inner, name)) return undefined
    return Reflect.get(inner, name)
  }, value)
}

function fullText(field: unknown): string {
  if (field === undefined || field === null) return ''
  return field instanceof Date ? dateText(field) : typeof field === 'object' ? jsonText(field) : String(field)
}

function shown(field: unknown): string {
  const line = fullText(field).replace(/\s+/g, ' ')
  // Half a character cannot be written as UTF-8.
  return line.length <= MAX_FIELD ? line : `${line.slice(0, MAX_FIELD - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

function dateText(date: Date): string {
  return Number.isNaN(date.getTime()) ? '' : date.toISOString()
}

function jsonText(value: object): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    // A bigint inside, say: a hint is for people's eyes and not worth a failure.
    return '…'
  }
}
