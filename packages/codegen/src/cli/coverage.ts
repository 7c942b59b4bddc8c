import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { defined } from '../defined.js'
import { type Diagnostic, sortDiagnostics } from '../diagnostics/diagnostic.js'
import { readText } from '../files.js'
import { inspect } from '../inspect.js'
import type { ProjectOptions } from '../project.js'
import type { ToolPlan, Verdict } from '../services/plan.js'
import { exitCodeOf } from './format.js'

/** Comparison of the payload, the updates or the result of a tool with a client method. */
interface CoveredPart {
  readonly verdict: Verdict<unknown>['verdict']
  readonly reason?: string
}

interface CoveredTool {
  readonly agent: string
  readonly toolset: string
  readonly tool: string
  /** Name of the client method, such as `orders.fetch`. */
  readonly method: string
  readonly payload: CoveredPart
  readonly updates?: CoveredPart
  readonly result: CoveredPart
}

interface GeneratedTransform {
  readonly agent: string
  readonly toolset: string
  /** Path of the module, relative to the project folder. */
  readonly file: string
  readonly text: string
}

/** Comparison of a design's tools with the methods of their service clients, for the studio. */
export interface Coverage {
  readonly command: 'coverage'
  readonly exitCode: number
  readonly diagnostics: readonly Diagnostic[]
  readonly tools: readonly CoveredTool[]
  readonly transforms: readonly GeneratedTransform[]
}

/**
 * Compares the tools of a design with the methods of its service clients.
 *
 * @param output folder of the generated code, relative to the project folder
 */
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
