import type { Conversion, TypePath } from '../services/plan.js'
import { propertyNameText, stringText } from '../text.js'

export interface SharedConversion {
  readonly definition: string
  readonly from: ReachedType
}

interface ReachedType {
  readonly base: string
  readonly path: TypePath
  readonly isGuarded: boolean
}

/** The key is the conversion as JSON, and the entries are in the order of their first use. */
export function sharedConversions(
  roots: readonly (readonly [conversion: Conversion, from: string])[],
): ReadonlyMap<string, SharedConversion> {
  const found = new Map<string, { readonly count: number; readonly shared?: SharedConversion | undefined }>()
  const length = ({ path, isGuarded }: ReachedType): number => 2 * path.length + (isGuarded ? 1 : 0)
  const collect = (conversion: Conversion, from: ReachedType | undefined): void => {
    if (conversion.kind === 'object' && conversion.part !== undefined) {
      const { definition } = conversion.part
      const key = JSON.stringify(conversion)
      const known = found.get(key)
      const isShortest = from !== undefined && (known?.shared === undefined || length(from) < length(known.shared.from))
      found.set(key, { count: (known?.count ?? 0) + 1, shared: isShortest ? { definition, from } : known?.shared })
      // The parts of a repeated conversion are only counted at its first occurrence.
      if (known !== undefined) return
    }
    for (const [part, type] of partsOf(conversion, from)) collect(part, type)
  }
  for (const [conversion, base] of roots) collect(conversion, { base, path: [], isGuarded: false })
  return new Map(
    [...found].flatMap(([key, { count, shared }]) => (count > 1 && shared !== undefined ? [[key, shared]] : [])),
  )
}

function partsOf(
  conversion: Conversion,
  from: ReachedType | undefined,
): readonly (readonly [Conversion, ReachedType | undefined])[] {
  const step = (next: TypePath[number]): ReachedType | undefined =>
    from && { base: from.base, path: [...from.path, next], isGuarded: true }
  switch (conversion.kind) {
    case 'object':
      return conversion.fields.flatMap(({ from: name, conversion: part }) =>
        name === undefined ? [] : [[part, step({ kind: 'key', name })] as const],
      )
    case 'array':
      return [[conversion.items, conversion.from === 'set' ? undefined : step({ kind: 'item', of: 'array' })]]
    case 'record':
      return [[conversion.values, conversion.from === 'map' ? undefined : step({ kind: 'item', of: 'record' })]]
    case 'nullable':
    case 'orNull':
      return [[conversion.inner, from && { ...from, isGuarded: true }]]
    case 'switch':
    case 'byKind':
      return conversion.cases.map((each) => [each.conversion, undefined])
    default:
      return []
  }
}

/** Each step first selects the union members that have the next property or items: for `A | null` and the key `id`, only `A`. */
export function typePathText(base: string, path: TypePath): string {
  const type = path.reduce((text, step) => {
    if (step.kind === 'key') {
      return `Extract<${text}, { readonly ${propertyNameText(step.name)}?: unknown }>[${stringText(step.name)}]`
    }
    return step.of === 'array' ? `Extract<${text}, readonly unknown[]>[number]` : `Extract<${text}, object>[string]`
  }, base)
  return `NonNullable<${type}>`
}
