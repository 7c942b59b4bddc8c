import type { JsonValue } from '../../contract/json.js'
import type { Choices } from '../issues/choices.js'
import type { Fields } from '../json/kind.js'
import { literalChoices } from './literals.js'
import type { Variant } from './variant.js'

/** A field that every variant for objects requires with literals of its own. */
export interface Discriminator {
  readonly field: string
  readonly choices: Choices
  readonly byLiteral: ReadonlyMap<unknown, Variant>
}

/** Finds the discriminator of a union, if it has one. */
export function discriminatorOf(variants: readonly Variant[]): Discriminator | undefined {
  const [first, ...others] = variants.filter(({ kinds }) => kinds === undefined || kinds.includes('object'))
  if (first === undefined || others.length === 0) return undefined
  for (const field of first.tags.keys()) {
    const discriminator = tryField(field, [first, ...others])
    if (discriminator !== undefined) return discriminator
  }
  return undefined
}

/** The variant that an object selects. */
export function selected(discriminator: Discriminator, value: Fields): Variant | undefined {
  const { field, byLiteral } = discriminator
  return Object.hasOwn(value, field) ? byLiteral.get(value[field]) : undefined
}

function tryField(field: string, variants: readonly Variant[]): Discriminator | undefined {
  const byLiteral = new Map<unknown, Variant>()
  const allowed: JsonValue[] = []
  for (const variant of variants) {
    for (const literal of variant.tags.get(field) ?? [undefined]) {
      if (literal === undefined || byLiteral.has(literal)) return undefined
      byLiteral.set(literal, variant)
      allowed.push(literal)
    }
  }
  return { field, choices: literalChoices(allowed), byLiteral }
}
