import type { ts } from 'ts-morph'
import type { Diagnostic, SourcePlace } from '../diagnostics/diagnostic.js'
import type { Schema, ServiceToolIr, ToolIr } from '../ir/types.js'
import { resolveShape, shapeOf } from '../schema/shape/shape.js'
import { type Candidate, chooseSignature, type ToolSide, wrapperThatFits } from './choose-signature.js'
import { type Finding, mistaken } from './match/fit.js'
import { nearestNames } from './match/name-match.js'
import { shapeResolver } from './match/walk.js'
import type { ArgumentPlan, Conversion, ToolPlan, Verdict } from './plan/plan.js'
import { findMethod } from './program/method.js'
import { bindingFault, mapperNeeded, remarks, type ToolScene } from './report.js'
import { parametersOf } from './types/parameters.js'
import { placeOf } from './types/source-place.js'
import type { TypeReader } from './types/type-reader.js'
import { type Judged, judgePayload, judgeResult } from './verdicts.js'
import { refutedArguments, refutedResult } from './verify.js'

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
  readonly generated: { readonly payload: ts.Type; readonly result: ts.Type }
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
    return { diagnostics: [bindingFault(scene, { ...found.fault, weight: 'hard', part: { of: 'method' } })] }
  }

  const unknown = unknownFields(binding)
  if (unknown.length > 0) return { diagnostics: unknown.map((finding) => bindingFault(scene, finding)) }

  const { method } = found
  const side = toolSide(binding)
  const candidate = chooseSignature(method, side, reader)
  const declared = declarationPlace(candidate.signature, binding)
  const count = method.signatures.length
  const at: ToolScene = {
    ...scene,
    signature: `signature ${count - candidate.fromLast} of ${count}`,
    ...(declared === undefined ? {} : { declared }),
  }
  if (candidate.fromLast >= nameableSignatures) {
    const message = `\`${scene.method}\` has ${count} signatures; the fitting one is not among the last ${nameableSignatures}`
    return { diagnostics: [bindingFault(at, { code: 'TG4010', weight: 'hard', message })] }
  }
  const generic = isGeneric(candidate.signature)
  const payload = verifyPayload(judgePayload(candidate), candidate, generic, binding)
  const result = bindResult(candidate, side, generic, binding)
  const diagnostics = [
    ...report(at, 'payload', payload, undefined),
    ...report(
      at,
      'result',
      result,
      result.verdict.verdict === 'mapper' ? wrapperThatFits(candidate, side, reader) : undefined,
    ),
  ]
  if (diagnostics.some(({ severity }) => severity === 'error')) return { diagnostics }
  return {
    plan: {
      tool: tool.name,
      method: method.path,
      optional: method.optional,
      signature: { fromLast: candidate.fromLast, of: count, generic },
      payload: payload.verdict,
      result: result.verdict,
      thenable: candidate.answer.isThenable,
      unwrapData: side.answer === 'data',
      answer: candidate.answer.kind,
    },
    diagnostics,
  }
}

function toolScene({ tool, bound, use, client }: ToolBinding): ToolScene {
  const { place, parts, method } = bound
  return {
    tool: tool.name,
    use,
    place,
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

function toolSide({ tool, bound, defs }: ToolBinding): ToolSide {
  return {
    payload: shapeOf(tool.payload, defs),
    result: shapeOf(tool.result, defs),
    shapes: shapeResolver(defs),
    binding: { rename: new Map(Object.entries(bound.rename)), constants: new Map(Object.entries(bound.constants)) },
    answer: bound.result,
  }
}

function isGeneric(signature: ts.Signature): boolean {
  return (signature.getTypeParameters()?.length ?? 0) > 0
}

function declarationPlace(signature: ts.Signature, { root, reader }: ToolBinding): SourcePlace | undefined {
  // A signature that a mapped type made has no declaration, whatever its type says.
  const declaration: ts.Declaration | undefined = signature.getDeclaration()
  return declaration === undefined ? undefined : placeOf(declaration, root, reader)
}

/** The parameters of a generic signature are compared uninstantiated, so that the checker's no proves nothing there. */
function verifyPayload(
  judged: Judged<readonly ArgumentPlan[]>,
  { signature }: Candidate,
  generic: boolean,
  { generated, reader }: ToolBinding,
): Judged<readonly ArgumentPlan[]> {
  if (!('plan' in judged.verdict) || generic) return judged
  const parameters = parametersOf(signature, reader)
  return downgraded(judged, refutedArguments(judged.verdict.plan, generated.payload, parameters, reader), 'TG4115')
}

/** Leaves undeclared fields to the codec where the compiler accepts the answer as it is, else takes the declared ones. */
function bindResult(candidate: Candidate, side: ToolSide, generic: boolean, binding: ToolBinding): Judged<Conversion> {
  const whole = judgeResult(candidate, side, 'codec')
  if (verifyResult(whole, candidate, side, generic, binding) === whole) return whole
  return verifyResult(judgeResult(candidate, side, 'transform'), candidate, side, generic, binding)
}

function verifyResult(
  judged: Judged<Conversion>,
  { answer }: Candidate,
  side: ToolSide,
  generic: boolean,
  { generated, reader }: ToolBinding,
): Judged<Conversion> {
  const { verdict } = judged
  if (!('plan' in verdict) || verdict.verdict === 'checked' || generic) return judged
  const property = side.answer === 'data' ? reader.checker.getPropertyOfType(answer.type, 'data') : undefined
  const type = property === undefined ? answer.type : reader.checker.getTypeOfSymbol(property)
  return downgraded(judged, refutedResult(verdict.plan, type, generated.result, reader), 'TG4215')
}

function downgraded<Plan>(judged: Judged<Plan>, refuted: readonly string[], code: 'TG4115' | 'TG4215'): Judged<Plan> {
  if (refuted.length === 0) return judged
  const message = `the compiler does not accept ${refuted.slice(0, 3).join(', ')} as it is`
  const mapper: Verdict<Plan> = { verdict: 'mapper' }
  return { verdict: mapper, findings: [...judged.findings, { code, weight: 'hard', message }] }
}

function report(
  scene: ToolScene,
  side: 'payload' | 'result',
  { verdict, findings }: Judged<unknown>,
  wrapper: string | undefined,
): readonly Diagnostic[] {
  const distinct = distinctFindings(findings)
  const against = distinct.filter(({ weight }) => weight !== 'note')
  if (verdict.verdict === 'mapper') return mapperNeeded(scene, side, against, wrapper)
  return remarks(scene, side, distinct)
}

function distinctFindings(findings: readonly Finding[]): readonly Finding[] {
  return [...new Map(findings.map((finding) => [`${finding.code} ${finding.message}`, finding])).values()]
}
