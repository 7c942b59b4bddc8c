import { type Draft, type DraftField, isDateToText } from './draft.js'

export function mergeDrafts([first, ...others]: readonly Draft[]): Draft | undefined {
  return others.reduce<Draft | undefined>((merged, other) => merged && mergeTwo(merged, other), first)
}

function mergeTwo(a: Draft, b: Draft): Draft | undefined {
  if (JSON.stringify(a) === JSON.stringify(b)) return a
  const withInner = (x: Draft, y: Draft, make: (inner: Draft) => Draft): Draft | undefined => {
    const inner = mergeTwo(x, y)
    return inner && make(inner)
  }
  const bare = (draft: Draft): Draft => (draft.kind === 'nullable' || draft.kind === 'orNull' ? draft.inner : draft)
  if (a.kind === 'orNull' || b.kind === 'orNull') {
    return withInner(bare(a), bare(b), (inner) => ({ kind: 'orNull', inner }))
  }
  if (a.kind === 'nullable' || b.kind === 'nullable') {
    const guards = new Set([a, b].flatMap((draft) => (draft.kind === 'nullable' ? [draft.of] : [])))
    const [of = 'both', ...more] = guards
    return withInner(bare(a), bare(b), (inner) => ({ kind: 'nullable', inner, of: more.length > 0 ? 'both' : of }))
  }
  if (a.kind === 'object' && b.kind === 'object') return mergeObjects(a, b)
  if (a.kind === 'array' && b.kind === 'array' && a.from === b.from && a.to === b.to) {
    return withInner(a.items, b.items, (items) => ({ ...a, items, identity: a.identity && b.identity }))
  }
  if (a.kind === 'record' && b.kind === 'record' && a.from === b.from && a.to === b.to) {
    return withInner(a.values, b.values, (values) => ({ ...a, values }))
  }
  if (a.kind === 'pass' && isDateToText(b)) return b
  return isDateToText(a) && b.kind === 'pass' ? a : undefined
}

type ObjectDraft = Draft & { readonly kind: 'object' }

function mergeObjects(a: ObjectDraft, b: ObjectDraft): Draft | undefined {
  if (a.rest !== b.rest) return undefined
  const names = [...new Set([...a.fields, ...b.fields].map(({ to }) => to))]
  const fields = names.flatMap((name) => {
    const [one, other] = [a, b].map((draft) => draft.fields.find(({ to }) => to === name))
    return (one !== undefined && other !== undefined ? mergeFields(one, other) : partialField(one ?? other)) ?? []
  })
  if (fields.length < names.length) return undefined
  const isPartial = fields.some(({ partial }) => partial === true)
  const identity = !isPartial && (a.identity === true ? b.identity : a.identity && b.identity && 'surplus')
  return { kind: 'object', fields, rest: a.rest, identity }
}

function mergeFields(a: DraftField, b: DraftField): DraftField | undefined {
  if (a.from !== b.from || JSON.stringify(a.constant) !== JSON.stringify(b.constant)) return undefined
  const conversion = mergeTwo(a.conversion, b.conversion)
  const presence = mergePresence(a.presence, b.presence)
  if (conversion === undefined || presence === undefined) return undefined
  return { ...a, conversion, presence, ...((a.partial === true || b.partial === true) && { partial: true }) }
}

/** Fails for a name such as `toString`, because every object inherits such a property. */
function partialField(field: DraftField | undefined): DraftField | undefined {
  if (field?.from === undefined || field.from in Object.prototype || field.presence.startsWith('undefined')) {
    return undefined
  }
  return { ...field, presence: field.presence === 'required' ? 'omit' : field.presence, partial: true }
}

function mergePresence(a: DraftField['presence'], b: DraftField['presence']): DraftField['presence'] | undefined {
  if (a === b || b === 'required') return a
  if (a === 'required') return b
  const family = (presence: string): string => presence.replace('Null', '')
  return family(a) === family(b) ? (a.endsWith('Null') ? a : b) : undefined
}
