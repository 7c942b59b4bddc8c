import { ToolFailure } from '../failure/tool-failure.js'
import type { OwnedField } from '../tool/bound-tool.js'
import { metaValue } from '../tool/meta-value.js'
import type { MetaSource } from '../tool/payload-door.js'

/**
 * A payload with its server-owned fields filled from the meta, behind the fields that the model sent. The decoded
 * payload is not changed: others may have asked for it too.
 *
 * @throws {ToolFailure} `internal`, naming the fields, when a value breaks the field's own rule: the caller gave it.
 */
export function withServerOwned(decoded: unknown, fields: readonly OwnedField[], source: MetaSource): unknown {
  if (fields.length === 0) return decoded
  const { meta } = source
  const values = fields.map(({ field, from, rule }) => ({
    field,
    from,
    decoded: rule.decodeValue(metaValue(meta, from)),
  }))
  const broken = values.filter(({ decoded }) => !decoded.ok)
  if (broken.length > 0) {
    const names = broken.map(({ from, field }) => `${from} (field '${field}')`).join(', ')
    throw new ToolFailure(`The caller of this tool gave a value that is not allowed: ${names}.`, {
      reason: 'internal',
      action: 'finish',
    })
  }
  // Decoded by the rule: what the meta holds as text may be a date to the executor.
  const filled = values.map(({ field, decoded: each }) => [field, each.ok ? each.value : undefined])
  // A key such as `__proto__` becomes an ordinary own property; assignment would call a setter.
  return Object.fromEntries([...Object.entries(asObject(decoded)), ...filled])
}

function asObject(decoded: unknown): object {
  if (typeof decoded === 'object' && decoded !== null && !Array.isArray(decoded)) return decoded
  throw new TypeError('a payload with server-owned fields is an object')
}
