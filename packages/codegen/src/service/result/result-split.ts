import type { ts } from 'ts-morph'
import type { Shape } from '../../schema/shape/shape.js'
import { bestFit, type Fit, faults, joinFits, type Spot, type Walk } from '../match/fit.js'
import { literalValues } from '../match/shape-views.js'
import { unitValues } from '../types/discriminator.js'
import { outOfObject } from './result-object.js'

type ObjectShape = Shape & { readonly kind: 'object' }

/**
 * One object type whose field has several literals, for alternatives of the tool that each allow some of them: every
 * value must find an alternative. Undefined where one does not.
 */
export function splitResult(targets: readonly Shape[], object: ts.Type, walk: Walk, spot: Spot): Fit | undefined {
  const objects = targets.filter((target) => target.kind === 'object')
  for (const name of new Set(objects.flatMap(({ fields }) => fields.map((field) => field.name)))) {
    const values = unitValues(object, name, walk.reader)
    if (values === undefined || values.length < 2) continue
    const found = values.map((value) => {
      const allowing = objects.filter((target) => literalValues(target, name, walk.resolve)?.includes(value))
      const fits = allowing.map((target) => outOfObject(allowingAll(target, name, values), object, walk, spot))
      return { value, fit: bestFit(fits) }
    })
    const fits = found.flatMap(({ fit }) => (fit === undefined || faults(fit) > 0 ? [] : [fit]))
    if (fits.length < found.length) continue
    const cases = found.flatMap(({ value, fit }) =>
      fit === undefined ? [] : [{ kinds: [], values: [value], draft: fit.draft }],
    )
    return joinFits({ kind: 'choice', field: name, cases, splitsField: true }, fits)
  }
  return undefined
}

/** The value of the field is known to be allowed, though its type says more. */
function allowingAll(target: ObjectShape, name: string, values: readonly (string | number | boolean)[]): ObjectShape {
  const fields = target.fields.map((field) =>
    field.name === name
      ? { ...field, shape: { kind: 'literals' as const, values, schema: field.shape.schema } }
      : field,
  )
  return { ...target, fields }
}
