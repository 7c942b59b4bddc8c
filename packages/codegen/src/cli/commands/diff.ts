import { defined } from '../../defined.js'
import { type DiffResult, diff } from '../../diff.js'
import { printable } from '../../text.js'
import type { CommandContext, CommonOptions } from '../context.js'
import { count, type ExitCode } from '../format.js'
import type { Style } from '../terminal.js'

export interface DiffCommandOptions extends CommonOptions {
  readonly base?: string | undefined
  readonly cassettes?: string
}

export async function run({ base, cassettes }: DiffCommandOptions, context: CommandContext): Promise<ExitCode> {
  const result = await diff({ ...context.project, ...defined({ base, cassettes }) })
  const { root, diagnostics, changes, recorded } = result
  const facts = { base: result.base, counts: countsOf(result), changes, recorded }
  const compared = { facts, summary: summaryOf(result, context.terminal.noteStyle) }
  return context.report(diagnostics, { root, ...(result.base !== undefined && compared) })
}

type Count = 'breaking' | 'possiblyBreaking' | 'visible' | 'safe'

function countsOf({ changes }: DiffResult): Readonly<Record<Count, number>> {
  const number = (wanted: string): number => changes.filter(({ severity }) => severity === wanted).length
  const breaking = changes.filter(({ severity, certain }) => severity === 'breaking' && certain).length
  return {
    breaking,
    possiblyBreaking: number('breaking') - breaking,
    visible: number('visible'),
    safe: number('safe'),
  }
}

function summaryOf(result: DiffResult, style: Style): string {
  const { base, changes, recorded } = result
  const since = `since ${printable(base?.shown ?? '')}`
  const calls = triedOf(recorded)
  if (changes.length === 0) return `${style('green', 'no change')} ${since}${calls}`
  const { breaking, possiblyBreaking, visible, safe } = countsOf(result)
  const head = breaking > 0 ? style('red', 'breaking') : possibly(possiblyBreaking, style)
  const uncertain = possiblyBreaking === 0 ? '' : ` ${possiblyBreaking} possibly breaking,`
  return `${head}: ${breaking} breaking,${uncertain} ${visible} visible and ${count(safe, 'safe change')} ${since}${calls}`
}

function possibly(possiblyBreaking: number, style: Style): string {
  return possiblyBreaking > 0 ? style('red', 'possibly breaking') : style('green', 'compatible')
}

function triedOf({ examples, calls }: DiffResult['recorded']): string {
  const tried = [
    ...(examples === 0 ? [] : [count(examples, 'example')]),
    ...(calls === 0 ? [] : [count(calls, 'recorded call')]),
  ]
  return tried.length === 0 ? '' : `; ${tried.join(' and ')} tried`
}
