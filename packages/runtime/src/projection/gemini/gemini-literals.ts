import { type Fields, kindOf } from '../../codec/json/kind.js'
import { without } from '../keywords/annotations.js'
import type { Report } from '../report/change.js'
import { constraintNote } from '../report/constraint-note.js'

/** A schema whose literals are said as Gemini reads them, and what its description should say of them. */
export interface GeminiLiterals {
  readonly schema: Fields
  readonly notes: readonly string[]
}

/** Writes `const` and `enum` as an `enum` of texts and numbers; null becomes a variant of its own. */
export function geminiLiterals(schema: Fields, pointer: string, report: Report): GeminiLiterals {
  const keyword = ['const', 'enum'].find((name) => Object.hasOwn(schema, name))
  if (keyword === undefined) return { schema, notes: [] }
  const given = schema[keyword]
  const values: readonly unknown[] = keyword === 'enum' && Array.isArray(given) ? given : [given]
  const listed: readonly unknown[] = values.filter((value) => typeof value === 'string' || typeof value === 'number')
  const kinds = [...new Set(values.map(kindOf))]
  const bare = without(schema, ['const', 'enum'])
  const isSaid = values.every((value) => value === null || listed.includes(value))
  if (!isSaid || Array.isArray(schema.anyOf) || Array.isArray(schema.oneOf)) {
    const note = constraintNote(keyword, given)
    const message = `Gemini reads only texts and numbers in \`enum\`${note === undefined ? '' : '; the description says it'}.`
    report({ pointer, keyword, kind: note === undefined ? 'removed' : 'moved_to_description', message, loosens: true })
    const type = schema.type ?? (kinds.length === 1 ? kinds[0] : kinds)
    return { schema: { ...bare, type }, notes: note === undefined ? [] : [note] }
  }
  if (keyword === 'enum' && listed.length === values.length) return { schema, notes: [] }
  const message = 'The literals are written as an `enum` of texts and numbers, and null beside it.'
  report({ pointer, keyword, kind: 'changed', message, loosens: false })
  const texts = [...new Set(listed.map(kindOf))].map((kind) => ({
    type: kind,
    enum: listed.filter((value) => kindOf(value) === kind),
  }))
  const variants = [...texts, ...(listed.length < values.length ? [{ type: 'null' }] : [])]
  const [only, ...others] = variants
  const rest = without(bare, ['type'])
  return { schema: others.length === 0 ? { ...rest, ...only } : { ...rest, anyOf: variants }, notes: [] }
}
