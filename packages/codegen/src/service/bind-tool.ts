import type { ts } from 'ts-morph'
import type { Diagnostic, SourcePlace } from '../diagnostics/diagnostic.js'
import { internalErrorText } from '../diagnostics/internal-error.js'
import type { Schema, ServiceToolIr, ToolIr } from '../ir/types.js'
import { resolveShape, shapeOf } from '../schema/shape/shape.js'
import { type BindingFix, fixThatFits } from './binding-fix.js'
import { type Candidate, chooseSignature } from './choose-signature.js'
import { type Finding, mistaken } from './match/fit.js'
import { nearestNames } from './match/name-match.js'
import type { ToolPlan } from './plan/plan.js'
import { findMethod } from './program/method.js'
import { type GeneratedToolTypes, isGeneric, provenVerdicts } from './proven-verdicts.js'
import { bindingFault, type MappedSide, mapperNeeded, remarks, type ToolScene, uncompared } from './report.js'
import { toolSide } from './tool-side.js'
import { answerOf } from './types/answer.js'
import { placeOf } from './types/source-place.js'
import type { TypeReader } from './types/type-reader.js'
import type { Judged } from './verdicts.js'

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
  const declared = declarationPlace(candidate.signature, binding)
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
  const { place, parts, method, result } = bound
  return {
    tool: tool.name,
    use,
    place,
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

function declarationPlace(signature: ts.Signature, { root, reader }: ToolBinding): SourcePlace | undefined {
  // A signature that a mapped type made has no declaration, whatever its type says.
  const declaration: ts.Declaration | undefined = signature.getDeclaration()
  return declaration === undefined ? undefined : placeOf(declaration, root, reader)
}

/** The file that declares a type; absent for one that is put together from others. */
function typeFile(type: ts.Type, { root, reader }: ToolBinding): string | undefined {
  const [declaration] = (type.aliasSymbol ?? type.getSymbol())?.declarations ?? []
  return declaration && placeOf(declaration, root, reader).file
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
