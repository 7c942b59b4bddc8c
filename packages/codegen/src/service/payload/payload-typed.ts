import type { ts } from 'ts-morph'
import { type Fit, failing, fitting, passing, type Spot, spoken, type Walk } from '../match/fit.js'
import type { ShapeOf } from '../match/shape-views.js'
import { partsOf } from '../types/type-parts.js'
import { builtinName, describeType } from '../types/type-reader.js'

/** A date, a bigint or bytes of a payload against the type they go to: as they are, else as the text that says the same. */
export function fitPayloadTyped(shape: ShapeOf<'typed'>, type: ts.Type, walk: Walk, spot: Spot): Fit {
  const parts = partsOf(type, walk.reader)
  const builtins = new Set(parts.objects.map((object) => builtinName(object, walk.reader)))
  switch (shape.type) {
    case 'Date':
      if (builtins.has('Date')) return passing
      if (parts.string) return fitting({ kind: 'scalar', name: 'dateToDateTime' })
      break
    case 'bigint':
      if (parts.bigint) return passing
      if (parts.string) return fitting({ kind: 'scalar', name: 'bigintToString' })
      break
    case 'Uint8Array':
      // A text could be of any encoding, and a Buffer is more than bytes.
      if (builtins.has('Uint8Array')) return passing
  }
  const label = spoken(spot.label, 'the payload')
  return failing('TG4103', `${label} is ${shape.type}, the method takes ${describeType(type, walk.reader)}`)
}
