import process from 'node:process'
import type { ts } from 'ts-morph'
import { type Diagnostic, internalErrorText, type SourceLocation } from '../diagnostics/diagnostic.js'
import type { BindingLocations, Schema, ServiceToolIr, ToolIr } from '../ir/types.js'
import { own } from '../schema/json-schema.js'
import { resolveShape, shapeOf } from '../schema/shape.js'
import { keyText, stringText } from '../text.js'
import { answerOf, type BindingFix, type Candidate, chooseSignature, fixThatFits, toolSide } from './fit-result.js'
import { type BindingPart, bindingErrors, type Finding, mistaken } from './match.js'
import { nearestNames } from './match-fields.js'
import { findMethod } from './method.js'
import type { ToolPlan } from './plan.js'
import { locationOf, type TypeReader } from './types.js'
import { byGravity, type GeneratedToolTypes, isGeneric, type Judged, provenVerdicts } from './verdicts.js'

/** Generated code can name this many signatures, counted from the last. */
const nameableSignatures = 8

/** Everything one tool of a use is bound with. */
export interface ToolBinding {
  readonly tool: ToolIr
  readonly bound: ServiceToolIr
  /** The agent's name for the toolset. */
  readonly use: string
  /** The definitions of the tool's toolset. */
  readonly defs: Readonly<Record<string, Schema>>
  readonly client: { readonly name: string; readonly type: ts.Type }
  /** The types that the generated code will have. */
  readonly generated: GeneratedToolTypes
  readonly reader: TypeReader
  /** The project's root: absolute. */
  readonly root: string
}

/** The plan of one tool; absent after an error. */
export interface BoundToolPlan {
  readonly plan?: ToolPlan
  readonly diagnostics: readonly Diagnostic[]
}

/** Finds the method of a tool, chooses its signature and decides how payload and answer are turned over. */
export function bindTool(binding: ToolBinding): BoundToolPlan {
  const { tool, bound, client, reader } = binding
  const found = findMethod(client.type, bound.method, client.name, reader)
  const scene = toolScene(binding)
  if ('fault' in found) {
    const { lacks, ...fault } = found.fault
    const file = lacks && typeFile(lacks, binding)
    const lacking = lacks && { method: bound.method, ...(file !== undefined && { file }) }
    return {
      diagnostics: [
        bindingFault({ ...scene, ...(lacking && { lacking }) }, { ...fault, weight: 'hard', part: { of: 'method' } }),
      ],
    }
  }

  const unknown = unknownFields(binding)
  if (unknown.length > 0) return { diagnostics: unknown.map((finding) => bindingFault(scene, finding)) }

  const { method } = found
  const side = toolSide(tool, bound, binding.defs)
  const candidate = chooseSignature(method, side, reader)
  const declared = declarationLocation(candidate.signature, binding)
  const count = method.signatures.length
  const at: ToolScene = {
    ...scene,
    signature: `signature ${count - candidate.fromLast} of ${count}`,
    ...(declared === undefined ? {} : { declared }),
    ...(candidate.update === undefined ? {} : { streams: true }),
  }
  if (candidate.fromLast >= nameableSignatures) {
    const message = `\`${scene.method}\` has ${count} signatures; the fitting one is not among the last ${nameableSignatures}`
    return { diagnostics: [bindingFault(at, { code: 'TG4010', weight: 'hard', message })] }
  }
  const misplaced = misplacedCollect(binding, candidate)
  if (misplaced !== undefined) return { diagnostics: [bindingFault(at, misplaced)] }
  const { payload, result, update } = provenVerdicts(candidate, side, binding)
  const fix = result.verdict.verdict === 'mapper' ? fixThatFits(candidate, side, reader) : undefined
  const diagnostics = [
    ...report(at, 'payload', payload, undefined),
    ...(update === undefined ? [] : report(at, 'update', update, undefined)),
    ...report(at, 'result', result, fix),
  ]
  if (diagnostics.some(({ severity }) => severity === 'error')) return { diagnostics }
  const collect = side.streaming?.collect ?? 'list'
  return {
    plan: {
      tool: tool.name,
      method: method.path,
      optional: method.optional,
      signature: { fromLast: candidate.fromLast, of: count, generic: isGeneric(candidate.signature) },
      payload: payload.verdict,
      result: result.verdict,
      ...(update === undefined ? {} : { stream: { collect, update: update.verdict } }),
      thenable: candidate.answer.isThenable,
      unwrapData: side.answer.from === 'data',
    },
    diagnostics,
  }
}

/**
 * The plan of a tool whose types cannot be compared because of an internal error: mappers of the application make its
 * arguments and its result.
 */
export function unboundTool(binding: ToolBinding, error: unknown): BoundToolPlan {
  const { tool, bound, client, reader } = binding
  const found = attempt(() => findMethod(client.type, bound.method, client.name, reader))
  const method = found !== undefined && 'method' in found ? found.method : undefined
  const last = method?.signatures.at(-1)
  const answer = last && attempt(() => answerOf(last, reader))
  const streams = tool.updates !== undefined && answer?.item !== undefined
  const reason = `the types of the method cannot be compared because of a bug in toolgen: ${internalErrorText(error)} (TG4303)`
  const mapper = { verdict: 'mapper', reason } as const
  return {
    plan: {
      tool: tool.name,
      method: method?.path ?? bound.method.split('.'),
      optional: method?.optional ?? [],
      signature: { fromLast: 0, of: method?.signatures.length ?? 1, generic: last !== undefined && isGeneric(last) },
      payload: mapper,
      result: mapper,
      ...(streams && { stream: { collect: bound.collect ?? 'list', update: mapper } }),
      thenable: answer?.isThenable ?? false,
      unwrapData: false,
    },
    diagnostics: [uncompared({ ...toolScene(binding), streams }, error)],
  }
}

/** What a step finds; undefined where it fails for the same reason as the comparison of the types. */
function attempt<Value>(step: () => Value): Value | undefined {
  try {
    return step()
  } catch {
    return undefined
  }
}

function toolScene({ tool, bound, use, client }: ToolBinding): ToolScene {
  const { location, parts, method, result } = bound
  return {
    tool: tool.name,
    use,
    location,
    result,
    method: `${client.name}.${method}`,
    ...(parts === undefined ? {} : { parts }),
  }
}

/** Entries of `rename` for fields that the payload does not have; they would have no effect. */
function unknownFields({ tool, bound, defs }: ToolBinding): readonly Finding[] {
  const payload = resolveShape(shapeOf(tool.payload, defs), defs)
  if (payload.kind !== 'object') return []
  const names = payload.fields.map(({ name }) => name)
  return Object.keys(bound.rename)
    .filter((name) => !names.includes(name))
    .flatMap((name) => {
      const message = `\`rename\` names \`${name}\`, which is no field of the payload`
      return mistaken('TG4007', message, { of: 'rename', entry: name, side: 'name' }, nearestNames(name, names))
        .findings
    })
}

/** `collect` says what becomes of a stream; elsewhere it would have no effect. */
function misplacedCollect({ tool, bound }: ToolBinding, { answer }: Candidate): Finding | undefined {
  if (bound.collect === undefined) return undefined
  const what = tool.updates === undefined ? 'the tool is not declared as streaming' : 'the method answers once'
  const message = `\`collect\` says what becomes of a stream, and ${what}`
  const isPlaced = tool.updates !== undefined && answer.item !== undefined
  return isPlaced ? undefined : { code: 'TG4011', weight: 'hard', message, part: { of: 'collect' } }
}

function declarationLocation(signature: ts.Signature, { root, reader }: ToolBinding): SourceLocation | undefined {
  // A signature that a mapped type made has no declaration, whatever its type says.
  const declaration: ts.Declaration | undefined = signature.getDeclaration()
  return declaration === undefined ? undefined : locationOf(declaration, root, reader)
}

/** The file that declares a type; absent for one that is put together from others. */
function typeFile(type: ts.Type, { root, reader }: ToolBinding): string | undefined {
  const [declaration] = (type.aliasSymbol ?? type.getSymbol())?.declarations ?? []
  return declaration && locationOf(declaration, root, reader).file
}

function report(
  scene: ToolScene,
  side: MappedSide,
  { verdict, findings }: Judged<unknown>,
  fix: BindingFix | undefined,
): readonly Diagnostic[] {
  const distinct = distinctFindings(findings)
  const against = distinct.filter(({ weight }) => weight !== 'note')
  if (verdict.verdict === 'mapper') return mapperNeeded(scene, side, against, fix)
  return remarks(scene, side, distinct)
}

function distinctFindings(findings: readonly Finding[]): readonly Finding[] {
  return [...new Map(findings.map((finding) => [`${finding.code} ${finding.message}`, finding])).values()]
}

/** The tool that a diagnostic is about. */
interface ToolScene {
  readonly tool: string
  /** The agent's name for the toolset. */
  readonly use: string
  /** What the design says of the result. */
  readonly result: ServiceToolIr['result']
  /** Where the design says the parts of the binding. */
  readonly parts?: BindingLocations
  /** Where the design binds the tool. */
  readonly location: SourceLocation
  /** `ordersClient.fetchOrder` */
  readonly method: string
  /** The method that the client does not have, by its path from the client, and the file of the type that lacks it. */
  readonly lacking?: { readonly method: string; readonly file?: string }
  /** `signature 2 of 3` */
  readonly signature?: string
  /** Where the method is declared. */
  readonly declared?: SourceLocation
  /** Whether the tool and its method stream. Default: false. */
  readonly streams?: boolean
}

/** What a mapper of the application makes. */
type MappedSide = 'payload' | 'update' | 'result'

type Related = NonNullable<Diagnostic['related']>

/** More reasons than this are only counted. */
const mostReasons = 8
const longestMessage = 300
const mostFrames = 12
/** More methods than these are not listed. */
const mostMethods = 8

/** A mistake in the binding itself. */
function bindingFault(scene: ToolScene, finding: Finding): Diagnostic {
  return {
    code: finding.code,
    severity: 'error',
    message: sentence(scene, finding.message),
    location: partLocation(scene, finding.part),
    next: nextStep(scene, 'payload', finding),
    ...(finding.near?.length ? { near: finding.near } : {}),
    ...relatedOf(scene, []),
  }
}

/** No transform could be proven: the binding must bring a mapper. Mistakes in the design's own binding come first. */
function mapperNeeded(
  scene: ToolScene,
  side: MappedSide,
  findings: readonly Finding[],
  fix: BindingFix | undefined,
): readonly Diagnostic[] {
  const mistakes = findings.filter(({ code }) => bindingErrors.has(code))
  if (mistakes.length > 0) return mistakes.map((mistake) => bindingFault(scene, mistake))
  const [reason, ...others] = byGravity(findings)
  const allSoft = findings.every(({ weight }) => weight === 'soft')
  const next =
    fix !== undefined
      ? fixStep(fix, scene)
      : side !== 'payload' && allSoft
        ? checkedStep(scene, side)
        : nextStep(scene, side, reason)
  const diagnostic: Diagnostic = {
    code: reason.code,
    severity: 'note',
    message: sentence(scene, `the ${side} needs a mapper: ${reason.message}`),
    location: scene.location,
    next,
    ...(reason.near?.length ? { near: reason.near } : {}),
    ...relatedOf(scene, others),
  }
  return [diagnostic]
}

/** What was accepted without proof, as one warning. */
function remarks(scene: ToolScene, side: MappedSide, findings: readonly Finding[]): readonly Diagnostic[] {
  const [first, ...others] = findings
  if (first === undefined) return []
  const diagnostic: Diagnostic = {
    code: first.code,
    severity: 'warning',
    message: sentence(scene, `in the ${side}, ${first.message}`),
    location: scene.location,
    next: nextStep(scene, side, first),
    ...(first.near?.length ? { near: first.near } : {}),
    ...relatedOf(scene, others),
  }
  return [diagnostic]
}

/** An internal error kept the types of a method from being compared: the application must bring the mappers. */
function uncompared(scene: ToolScene, error: unknown): Diagnostic {
  const sides: readonly MappedSide[] = scene.streams === true ? ['payload', 'update', 'result'] : ['payload', 'result']
  const mappers = sides.map((side) => `\`${mapperPath(scene, side)}\``).join(' and ')
  const stack = process.env.TOOLGEN_DEBUG === '1' && error instanceof Error ? (error.stack ?? '').split('\n') : []
  const related = stack.slice(1, 1 + mostFrames).map((frame) => ({ message: frame.trim() }))
  return {
    code: 'TG4303',
    severity: 'warning',
    message: sentence(
      scene,
      `the types of \`${scene.method}\` cannot be compared because of a bug in toolgen: ${internalErrorText(error)}`,
    ),
    location: scene.location,
    next: `Give ${mappers} (their types require them), and please report it with the type of the method; TOOLGEN_DEBUG=1 adds the stack.`,
    ...(related.length > 0 && { related }),
  }
}

/** The place of a part of the binding; of the whole where the design does not spell the part out. */
function partLocation({ location, parts }: ToolScene, part: BindingPart | undefined): SourceLocation {
  if (part === undefined || parts === undefined) return location
  if (!('entry' in part)) return parts[part.of] ?? location
  return own(parts[part.of], part.entry)?.[part.side] ?? location
}

function relatedOf(scene: ToolScene, findings: readonly Finding[]): { readonly related: Related } | object {
  const shown = findings.slice(0, mostReasons).map(({ code, message, near }) => {
    const nearest = near?.length ? `; nearest: ${near.map((name) => `\`${name}\``).join(', ')}` : ''
    return { message: capped(`${code}: ${capital(message)}${nearest}`) }
  })
  const more = findings.length - shown.length
  const declared = scene.declared
  const signature = scene.signature === undefined ? '' : `, ${scene.signature}`
  const related: Related = [
    ...shown,
    ...(more > 0 ? [{ message: `And ${more} more.` }] : []),
    ...(declared === undefined
      ? []
      : [{ message: capped(`The method is \`${scene.method}\`${signature}`), location: declared }]),
  ]
  return related.length === 0 ? {} : { related }
}

/** What is said about a tool. */
function sentence({ tool }: ToolScene, said: string): string {
  return capped(`\`${tool}\`: ${capital(said)}`)
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Ends with a full stop, or with three where it was too long. */
function capped(text: string): string {
  return text.length < longestMessage ? `${text}.` : `${text.slice(0, longestMessage - 3)}...`
}

/** Where an application gives a mapper, as the runtime names it when it is missing. */
function mapperPath({ use, tool }: ToolScene, side: MappedSide): string {
  return `toolsets.${use}.mappers.${tool}.${side}`
}

function fixStep(fix: BindingFix, scene: ToolScene): string {
  if ('collect' in fix) {
    return fix.collect === 'last'
      ? "The last item fits: write `collect: 'last'` in the use."
      : 'The list of all items fits: leave `collect` out of the use.'
  }
  const { wrapper } = fix
  return wrapper === 'data'
    ? `The result fits under \`.data\`: write ${resultText({ ...scene.result, from: 'data' })} in the use.`
    : `The result fits under \`.${wrapper}\`: give \`${mapperPath(scene, 'result')}\` that takes it out.`
}

/** The option with which the design says how the result is made: with what it says already. */
function resultText({ from, checked }: ServiceToolIr['result']): string {
  const parts = [...(from === undefined ? [] : [`from: ${stringText(from)}`]), ...(checked ? ['checked: true'] : [])]
  return `\`result: { ${parts.join(', ')} }\``
}

/** What can be done about an answer that may fit. One item of a stream that does not would end the whole call. */
function checkedStep(scene: ToolScene, side: 'update' | 'result'): string {
  const mapper = mapperPath(scene, side)
  if (scene.streams !== true) {
    return `Write ${resultText({ ...scene.result, checked: true })} in the use, so that the codec decides at run time, or give \`${mapper}\`.`
  }
  const what =
    side === 'update'
      ? `Give \`${mapper}\`, which answers undefined for an item that is not an update`
      : `Give \`${mapper}\`, which takes what belongs to the result out of the stream`
  return `${what}. ${resultText({ ...scene.result, checked: true })} is for streams of which every item fits: any other ends the call.`
}

/** How the tool gets a method: by another name where one is near, else by one that is added. */
function methodStep(scene: ToolScene, { code, near, allowed = [] }: Finding): string {
  const entry = (method: string): string => `\`tools: { ${keyText(scene.tool)}: { method: ${method} } }\``
  const added = code === 'TG4005' ? addedMethod(scene) : undefined
  const [nearest] = near ?? []
  if (nearest !== undefined) {
    const others = added === undefined ? 'or name another method of the client' : `or ${added}`
    return `Write ${entry(stringText(nearest))} in the use, ${others}.`
  }
  if (allowed.length === 0) {
    return `${capital(added ?? 'give the client type the method')}, or use the type of another client.`
  }
  const more = allowed.length > mostMethods ? ` and ${allowed.length - mostMethods} more` : ''
  const methods = allowed.slice(0, mostMethods).map((name) => `\`${name}\``)
  const named = `name one that there is in the use, ${entry('...')}: ${methods.join(', ')}${more}`
  return `${capital(added === undefined ? named : `${added}, or ${named}`)}.`
}

/** The step that adds what is missing; absent where the type is that of a package. */
function addedMethod({ lacking }: ToolScene): string | undefined {
  if (lacking === undefined || lacking.file?.startsWith('node_modules/') === true) return undefined
  const file = lacking.file === undefined ? '' : ` (${lacking.file})`
  return `add the method \`${lacking.method}\` to the client type${file}`
}

function nextStep(scene: ToolScene, side: MappedSide, finding: Finding): string {
  const { code, near } = finding
  const mapper = `give \`${mapperPath(scene, side)}\` (its type requires it)`
  const [nearest] = near ?? []
  switch (code) {
    case 'TG4003':
      return 'Make the type resolve in your own project (install the package or its types), or declare a narrower client interface.'
    case 'TG4005':
    case 'TG4006':
      return methodStep(scene, finding)
    case 'TG4007':
      return nearest === undefined
        ? 'Rename a field of the payload to a parameter or field that the method has.'
        : `Did you mean \`${nearest}\`?`
    case 'TG4008':
    case 'TG4009':
      return 'Set a parameter or field that the method has to a value of its type.'
    case 'TG4010':
      return 'Declare a client interface with the signature that you mean and use it as the client type.'
    case 'TG4011':
      return 'Leave it out, or declare `streaming: { updates }` in the tool and name a method that answers with a stream.'
    case 'TG4211':
      return `Declare \`streaming: { updates }\` in the tool, so that items become updates, or ${mapper}.`
    case 'TG4101':
      return `${capital(sourceSteps(finding, nearest))}, or ${mapper}.`
    case 'TG4112':
      return nearest === undefined || finding.field === undefined
        ? `Leave the field out of the tool, or ${mapper}.`
        : `Write ${renameText(finding.field, nearest)} in the use, leave the field out of the tool, or ${mapper}.`
    case 'TG4302':
      return nearest === undefined || finding.field === undefined
        ? 'Compare the name with what the service documents.'
        : `If \`${nearest}\` is meant, write ${renameText(finding.field, nearest)} in the use; else compare the name with what the service documents.`
    default:
      return `Change the tool or the client's type, or ${mapper}.`
  }
}

/** How a required parameter or field gets a value: from a field of the payload, or a constant where few values are possible. */
function sourceSteps({ field, setTo }: Finding, nearest: string | undefined): string {
  if (field === undefined) return 'declare a field for it in the payload of the tool'
  const source =
    nearest === undefined
      ? `declare a field \`${field}\` in the payload of the tool`
      : `write ${renameText(nearest, field)} in the use`
  if (setTo === undefined) return source
  return `${source}, set it with \`constants: { ${keyText(field)}: ${setTo} }\``
}

function renameText(from: string, to: string): string {
  return `\`rename: { ${keyText(from)}: ${stringText(to)} }\``
}
