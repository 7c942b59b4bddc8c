import { namesOf } from '../../codec/evaluate/keywords.js'
import { type Fields, isFields } from '../../codec/json/kind.js'
import { restrictingKeywords } from '../keywords/annotations.js'

/** The fields that each variant of a union requires, where the variants demand nothing else. */
export function requiredSets(variants: readonly unknown[]): readonly (readonly string[])[] | undefined {
  const sets = variants.map((variant) => {
    if (!isFields(variant) || !demandsFieldsOnly(variant)) return undefined
    return namesOf(variant.required)
  })
  return sets.every((set) => set !== undefined) ? sets : undefined
}

function demandsFieldsOnly(variant: Fields): boolean {
  return restrictingKeywords(variant).every(
    (name) => name === 'required' || (name === 'type' && variant.type === 'object'),
  )
}

/** Sets of fields in words: `Give one of these: "a"; "b" and "c".` */
export function requiredNote(sets: readonly (readonly string[])[]): string {
  const texts = sets.map((set) => set.map((name) => JSON.stringify(name)).join(' and '))
  return `Give one of these: ${[...new Set(texts)].filter((text) => text !== '').join('; ')}.`
}
