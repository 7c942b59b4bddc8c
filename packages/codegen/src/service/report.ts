import type { Diagnostic, SourcePlace } from '../diagnostics/diagnostic.js'
import { byCodePoint } from '../text/by-code-point.js'
import type { Finding } from './match/fit.js'
import { bindingErrors } from './match/service-code.js'

/** The tool that a diagnostic is about. */
export interface ToolScene {
  readonly tool: string
  /** Where the design binds the tool. */
  readonly place: SourcePlace
  /** `ordersClient.fetchOrder` */
  readonly method: string
  /** `signature 2 of 3` */
  readonly signature?: string
  /** Where the method is declared. */
  readonly declared?: SourcePlace
}

type Related = NonNullable<Diagnostic['related']>

/** More reasons than this are only counted. */
const mostReasons = 8
const longestMessage = 300

/** A mistake in the binding itself. */
export function bindingFault(scene: ToolScene, finding: Finding): Diagnostic {
  return {
    code: finding.code,
    severity: 'error',
    message: capped(`tool '${scene.tool}': ${finding.message}`),
    place: scene.place,
    next: nextStep(scene.tool, 'payload', finding),
    ...(finding.near?.length ? { near: finding.near } : {}),
    ...relatedOf(scene, []),
  }
}

/** No transform could be proven: the executor's options will require a mapper, or the binding is wrong. */
export function mapperNeeded(
  scene: ToolScene,
  side: 'payload' | 'result',
  findings: readonly Finding[],
  wrapper: string | undefined,
): Diagnostic {
  const mistake = findings.find(({ code }) => bindingErrors.has(code))
  if (mistake !== undefined) return bindingFault(scene, mistake)
  const [first, ...others] = [...findings].sort((a, b) => weightOf(b) - weightOf(a) || byCodePoint(a.code, b.code))
  const reason: Finding = first ?? { code: 'TG4113', weight: 'hard', message: 'nothing could be proven' }
  const allSoft = findings.every(({ weight }) => weight === 'soft')
  const next =
    wrapper !== undefined
      ? wrapperStep(wrapper, scene.tool)
      : side === 'result' && allSoft
        ? `Write result: 'checked' in the binding, so that the result codec decides at run time, or give mappers.${scene.tool}.result in the executor's options.`
        : nextStep(scene.tool, side, reason)
  return {
    code: reason.code,
    severity: 'note',
    message: capped(`tool '${scene.tool}': the ${side} needs a mapper: ${reason.message}`),
    place: scene.place,
    next,
    ...(reason.near?.length ? { near: reason.near } : {}),
    ...relatedOf(scene, others),
  }
}

/** What was accepted without proof, as one note. */
export function remarks(
  scene: ToolScene,
  side: 'payload' | 'result',
  findings: readonly Finding[],
): readonly Diagnostic[] {
  const [first, ...others] = findings
  if (first === undefined) return []
  const diagnostic: Diagnostic = {
    code: first.code,
    severity: 'note',
    message: capped(`tool '${scene.tool}': in the ${side}, ${first.message}`),
    place: scene.place,
    next: nextStep(scene.tool, side, first),
    ...(first.near?.length ? { near: first.near } : {}),
    ...relatedOf(scene, others),
  }
  return [diagnostic]
}

function weightOf({ weight }: Finding): number {
  return weight === 'hard' ? 2 : weight === 'soft' ? 1 : 0
}

function relatedOf(scene: ToolScene, findings: readonly Finding[]): { readonly related: Related } | object {
  const shown = findings.slice(0, mostReasons).map(({ code, message, near }) => {
    const nearest = near?.length ? `; nearest: ${near.map((name) => `'${name}'`).join(', ')}` : ''
    return { message: capped(`${code} ${message}${nearest}`) }
  })
  const more = findings.length - shown.length
  const declared = scene.declared
  const method = scene.signature === undefined ? scene.method : `${scene.method}, ${scene.signature}`
  const related: Related = [
    ...shown,
    ...(more > 0 ? [{ message: `and ${more} more` }] : []),
    ...(declared === undefined ? [] : [{ message: capped(`the method: ${method}`), place: declared }]),
  ]
  return related.length === 0 ? {} : { related }
}

function capped(text: string): string {
  return text.length <= longestMessage ? text : `${text.slice(0, longestMessage - 3)}...`
}

function wrapperStep(wrapper: string, tool: string): string {
  return wrapper === 'data'
    ? "The result fits under '.data': write result: 'data' in the binding."
    : `The result fits under '.${wrapper}': give mappers.${tool}.result in the executor's options that takes it out.`
}

function nextStep(tool: string, side: 'payload' | 'result', { code, near }: Finding): string {
  const mapper = `give mappers.${tool}.${side} in the executor's options (its type requires it)`
  const [nearest] = near ?? []
  switch (code) {
    case 'TG4003':
      return 'Make the type resolve in your own project (install the package or its types), or declare a narrower client interface.'
    case 'TG4005':
    case 'TG4006':
      return nearest === undefined
        ? "Name a method of the client in the binding: tools: { ... { method: '...' } }."
        : `Write method: '${nearest}' in the binding, or another method of the client.`
    case 'TG4007':
      return 'Rename to a parameter or field that the method has.'
    case 'TG4008':
    case 'TG4009':
      return 'Set a parameter or field that the method has to a value of its type.'
    case 'TG4010':
      return 'Declare a client interface with the signature that you mean and use it as the client type.'
    case 'TG4101':
      return nearest === undefined
        ? `Set it with constants in the binding, or ${mapper}.`
        : `Write rename: { ${nearest}: ... } in the binding, set it with constants, or ${mapper}.`
    case 'TG4112':
      return nearest === undefined
        ? `Write rename in the binding, leave the field out of the tool, or ${mapper}.`
        : `Write rename with '${nearest}' in the binding, or ${mapper}.`
    case 'TG4302':
      return nearest === undefined
        ? 'Compare the name with what the service documents.'
        : `If '${nearest}' is meant, rename the field to it in the binding.`
    default:
      return `Change the tool or the client's type, or ${mapper}.`
  }
}
