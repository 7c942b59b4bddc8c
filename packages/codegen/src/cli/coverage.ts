import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { defined } from '../defined.js'
import { type Diagnostic, sortDiagnostics } from '../diagnostics/diagnostic.js'
import { readText } from '../files.js'
import { inspect } from '../inspect.js'
import type { ProjectOptions } from '../project.js'
import type { ToolPlan, Verdict } from '../services/plan.js'
import { exitCodeOf } from './format.js'

interface CoveredPart {
  readonly verdict: Verdict<unknown>['verdict']
  readonly reason?: string
}

interface CoveredTool {
  readonly agent: string
  readonly toolset: string
  readonly tool: string
  readonly method: string
  readonly payload: CoveredPart
  readonly updates?: CoveredPart
  readonly result: CoveredPart
}

interface GeneratedTransform {
  readonly agent: string
  readonly toolset: string
  /** Relative to the project folder. */
  readonly file: string
  readonly text: string
}

export interface Coverage {
  readonly command: 'coverage'
  readonly exitCode: number
  readonly diagnostics: readonly Diagnostic[]
  readonly tools: readonly CoveredTool[]
  readonly transforms: readonly GeneratedTransform[]
}

/** `output` is relative to the project folder. */
export async function coverage(project: ProjectOptions, output: string): Promise<Coverage> {
  const { diagnostics, plans = {}, root } = await inspect({ ...project, bind: true })
  const uses = Object.entries(plans).flatMap(([agent, toolsets]) =>
    Object.entries(toolsets).map(([toolset, plan]) => ({ agent, toolset, plan })),
  )
  return {
    command: 'coverage',
    exitCode: exitCodeOf(diagnostics),
    diagnostics: sortDiagnostics(diagnostics),
    tools: uses.flatMap(({ agent, toolset, plan }) =>
      Object.values(plan).map((tool) => ({ agent, toolset, ...coveredTool(tool) })),
    ),
    transforms: uses.flatMap(({ agent, toolset }) => {
      const file = `${output}/agents/${agent}/${toolset}.service.ts`
      return existsSync(join(root, file)) ? [{ agent, toolset, file, text: readText(join(root, file)) }] : []
    }),
  }
}

function coveredTool({ tool, method, payload, stream, result }: ToolPlan): Omit<CoveredTool, 'agent' | 'toolset'> {
  return defined({
    ...{ tool, method: method.join('.'), payload: partOf(payload) },
    updates: stream && partOf(stream.update),
    result: partOf(result),
  })
}

function partOf(verdict: Verdict<unknown>): CoveredPart {
  const { verdict: kind } = verdict
  return verdict.verdict === 'mapper' ? { verdict: kind, reason: verdict.reason } : { verdict: kind }
}
