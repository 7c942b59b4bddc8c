import type { ts } from 'ts-morph'
import type { Shape } from '../schema/shape.js'
import { type Draft, pass, type TypePath } from './plan.js'
import type { TypeReader } from './types.js'

/** Why two sides do not fit, or what was accepted without proof. */
export interface Finding {
  readonly code: ServiceCode
  /** `hard`: no transform exists; `soft`: the result codec could decide at run time; `note`: accepted. */
  readonly weight: 'hard' | 'soft' | 'note'
  /** Without a capital at the beginning and a full stop at the end; names in backticks. */
  readonly message: string
  readonly near?: readonly string[]
  /** The parameter or field of the method, or the field of the payload, that lacks its counterpart; absent below the top. */
  readonly field?: string
  /** A constant that the field takes, as TypeScript; absent where the field takes more than a few values. */
  readonly setTo?: string
  /** Possible values, if they can be listed. */
  readonly allowed?: readonly string[]
  /** The optional field of the result that the answer does not have. */
  readonly lacks?: string
  /** The part of the binding that is wrong. */
  readonly part?: BindingPart
}

/** A part of what the design says about a tool's binding: an entry by its name or its value, or an option. */
export type BindingPart =
  | { readonly of: 'method' | 'collect' }
  | { readonly of: 'rename' | 'constants'; readonly entry: string; readonly side: 'name' | 'value' }

/** Degree to which a shape and a type match. */
export interface Fit {
  readonly draft: Draft
  readonly findings: readonly Finding[]
  /** Number of matched fields; decides between alternatives with equal findings. */
  readonly used: number
}

/** Position of a walk in both trees. */
export interface Spot {
  /** For messages: `items[].price`. */
  readonly label: string
  readonly from: TypePath
  readonly to: TypePath
  /** True while both paths lead to the type in generated code. */
  readonly nameable: boolean
  readonly depth: number
}

/** One walk over a schema and a TypeScript type. */
export interface Walk {
  readonly reader: TypeReader
  readonly resolve: (shape: Shape) => Shape
  /** Compares one shape with one type. */
  readonly fit: (shape: Shape, type: ts.Type, spot: Spot) => Fit
}

/** The start of a walk. */
export function spotAt(label: string, from: TypePath = [], to: TypePath = []): Spot {
  return { label, from, to, nameable: true, depth: 0 }
}

/** The spot of a field: `from` is its key in the source, `to` in the target. */
export function fieldSpot(spot: Spot, from: string, to: string, named: string): Spot {
  return {
    label: spot.label === '' ? named : `${spot.label}.${named}`,
    from: [...spot.from, { kind: 'key', name: from }],
    to: [...spot.to, { kind: 'key', name: to }],
    nameable: spot.nameable,
    depth: spot.depth + 1,
  }
}

/** The spot of an item of an array or a record. */
export function itemSpot(spot: Spot, of: 'array' | 'record'): Spot {
  return {
    label: `${spot.label}[]`,
    from: [...spot.from, { kind: 'item', of }],
    to: [...spot.to, { kind: 'item', of }],
    nameable: spot.nameable,
    depth: spot.depth + 1,
  }
}

/** A fit that passes. */
export const passing: Fit = { draft: pass, findings: [], used: 0 }

/** A fit with a draft and nothing to say. */
export function fitting(draft: Draft): Fit {
  return { draft, findings: [], used: 0 }
}

/** A fit that fails. */
export function failing(code: ServiceCode, message: string, near?: readonly string[]): Fit {
  return { draft: pass, findings: [{ code, weight: 'hard', message, ...(near?.length ? { near } : {}) }], used: 0 }
}

/** The same fit about a field without a counterpart, to which a step can refer. */
export function about(fit: Fit, field: Pick<Finding, 'field' | 'setTo'>): Fit {
  return { ...fit, findings: fit.findings.map((finding) => ({ ...finding, ...field })) }
}

/** A fit that fails because a part of the binding is wrong. */
export function mistaken(code: ServiceCode, message: string, part: BindingPart, near: readonly string[] = []): Fit {
  const finding: Finding = { code, weight: 'hard', message, part, ...(near.length === 0 ? {} : { near }) }
  return { draft: pass, findings: [finding], used: 0 }
}

/** A part of the payload or the answer by its name, or the whole of it in words. */
export function spoken(label: string, whole: string): string {
  if (label === '[]') return `an item of ${whole}`
  return label === '' ? whole : `\`${label}\``
}

/** A fit that the result codec must decide. */
export function doubtful(code: ServiceCode, message: string, draft: Draft = pass): Fit {
  return { draft, findings: [{ code, weight: 'soft', message }], used: 0 }
}

/** A fit that passes with a remark. */
export function noted(code: ServiceCode, message: string, near?: readonly string[]): Fit {
  return { draft: pass, findings: [{ code, weight: 'note', message, ...(near?.length ? { near } : {}) }], used: 0 }
}

/** Returns the weighted number of findings of a fit; soft ones count less. */
export function faults(fit: Fit): number {
  return fit.findings.reduce((sum, { weight }) => sum + (weight === 'hard' ? 100 : weight === 'soft' ? 1 : 0), 0)
}

/** The fit with the fewest faults, then with the most fields used, then the first. */
export function bestFit(fits: readonly Fit[]): Fit | undefined {
  return fits.reduce<Fit | undefined>((best, fit) => {
    if (best === undefined) return fit
    const difference = faults(fit) - faults(best)
    return difference < 0 || (difference === 0 && fit.used > best.used) ? fit : best
  }, undefined)
}

/** Several fits as one with another draft. */
export function joinFits(draft: Draft, fits: readonly Fit[]): Fit {
  return {
    draft,
    findings: fits.flatMap((fit) => fit.findings),
    used: fits.reduce((sum, fit) => sum + fit.used, 0),
  }
}

/** The codes of what the service binding finds; `diagnostics/catalogue/service.ts` explains each. */
export const serviceCodes = [
  'TG4001',
  'TG4002',
  'TG4003',
  'TG4004',
  'TG4005',
  'TG4006',
  'TG4007',
  'TG4008',
  'TG4009',
  'TG4010',
  'TG4011',
  'TG4101',
  'TG4102',
  'TG4103',
  'TG4104',
  'TG4105',
  'TG4106',
  'TG4107',
  'TG4108',
  'TG4109',
  'TG4110',
  'TG4111',
  'TG4112',
  'TG4113',
  'TG4114',
  'TG4115',
  'TG4116',
  'TG4200',
  'TG4201',
  'TG4202',
  'TG4203',
  'TG4204',
  'TG4205',
  'TG4206',
  'TG4208',
  'TG4209',
  'TG4210',
  'TG4211',
  'TG4212',
  'TG4213',
  'TG4214',
  'TG4215',
  'TG4216',
  'TG4302',
  'TG4303',
] as const

/** One of {@link serviceCodes}. */
export type ServiceCode = (typeof serviceCodes)[number]

/** Mistakes in the binding itself: they stop the generation instead of asking for a mapper. */
export const bindingErrors: ReadonlySet<ServiceCode> = new Set<ServiceCode>([
  'TG4001',
  'TG4002',
  'TG4003',
  'TG4004',
  'TG4005',
  'TG4006',
  'TG4007',
  'TG4008',
  'TG4009',
  'TG4010',
  'TG4011',
])
