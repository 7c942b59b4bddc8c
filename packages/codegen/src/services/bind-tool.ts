import type { ts } from 'ts-morph'
import type { Schema } from '../ir/types.js'
import { ToolDiagnostics } from './binding-diagnostics.js'
import type { BindingDiagnostic } from './binding-place.js'
import { findMethod } from './client.js'
import type { GeneratedToolTypes } from './generated-types.js'
import { nearestNames } from './names.js'
import type { BindingOptions, BoundToolIr, ToolPlan } from './plan.js'
import type { Reason } from './reason.js'
import { reasons } from './reasons.js'
import { Shapes } from './shapes.js'
import { type Candidate, SignatureChoice } from './signature.js'
import type { TypeReader } from './type-reader.js'
import { isGeneric, judgeTool } from './verdicts.js'

/** The runtime's type `MethodArgs` can select only the last 8 overloads of a method. */
const nameableSignatures = 8

export interface ToolBinding {
  readonly tool: BoundToolIr
  readonly bound: BindingOptions
  readonly use: string
  readonly defs: Readonly<Record<string, Schema>>
  readonly client: { readonly name: string; readonly type: ts.Type }
  readonly generated: GeneratedToolTypes
  readonly reader: TypeReader
  readonly root: string
}

export interface BoundToolPlan {
  readonly plan?: ToolPlan
  readonly diagnostics: readonly BindingDiagnostic[]
}

export function bindTool(binding: ToolBinding): BoundToolPlan {
  const { tool, bound, use, client, reader, root, defs } = binding
  const diagnostics = new ToolDiagnostics(tool.name, use, bound, client.name)
  const failed = (...found: readonly Reason[]): BoundToolPlan => ({
    diagnostics: found.map((reason) => diagnostics.mistake(reason)),
  })
  const found = findMethod(client.type, bound.method, client.name, reader)
  if ('error' in found) {
    const { lacks, ...error } = found.error
    const [declaration] = (lacks?.aliasSymbol ?? lacks?.getSymbol())?.declarations ?? []
    diagnostics.steps.lackingFile = declaration && reader.locationOf(declaration, root).file
    return failed({ ...error, weight: 'hard', part: { of: 'method' } })
  }
  const shapes = new Shapes(defs)
  const unknown = unknownFields(binding, shapes)
  if (unknown.length > 0) return failed(...unknown)

  const { method } = found
  const count = method.signatures.length
  const choice = new SignatureChoice(method, tool, bound, shapes, reader)
  const candidate = choice.best()
  // The signature of a mapped type has no declaration, although the compiler's types say so.
  const declaration: ts.Declaration | undefined = candidate.signature.getDeclaration()
  diagnostics.declared = declaration && reader.locationOf(declaration, root)
  diagnostics.signature = `signature ${count - candidate.fromLast} of ${count}`
  diagnostics.steps.streams = candidate.update !== undefined
  if (candidate.fromLast >= nameableSignatures) {
    return failed(reasons.hiddenSignature(diagnostics.method, count, nameableSignatures))
  }
  const misplaced = misplacedCollect(binding, candidate)
  if (misplaced !== undefined) return failed(misplaced)
  const { payload, result, update } = judgeTool(candidate, binding.generated, bound.result.checked, reader)
  const fix = result.verdict.verdict === 'mapper' ? choice.fixFor(candidate) : undefined
  const reported = [
    ...diagnostics.of('payload', payload),
    ...(update === undefined ? [] : diagnostics.of('update', update)),
    ...diagnostics.of('result', result, fix),
  ]
  if (reported.some(({ severity }) => severity === 'error')) return { diagnostics: reported }
  const plan: ToolPlan = {
    tool: tool.name,
    method: method.path,
    optional: method.optional,
    signature: { fromLast: candidate.fromLast, of: count, generic: isGeneric(candidate.signature) },
    payload: payload.verdict,
    result: result.verdict,
    ...(update !== undefined && { stream: { collect: bound.collect ?? 'list', update: update.verdict } }),
    thenable: candidate.response.isThenable,
    unwrapData: bound.result.from === 'data',
  }
  return { plan, diagnostics: reported }
}

function unknownFields({ tool, bound }: ToolBinding, shapes: Shapes): readonly Reason[] {
  const payload = shapes.resolve(shapes.read(tool.payload))
  if (payload.kind !== 'object') return []
  const names = payload.fields.map(({ name }) => name)
  const unknown = Object.keys(bound.rename).filter((name) => !names.includes(name))
  return unknown.map((name) => reasons.renamedField(name, nearestNames(name, names)))
}

function misplacedCollect({ tool, bound }: ToolBinding, { response }: Candidate): Reason | undefined {
  if (bound.collect === undefined) return undefined
  if (tool.updates === undefined) return reasons.collect('the tool does not declare `streaming`')
  return response.item === undefined ? reasons.collect('the method does not return a stream') : undefined
}
