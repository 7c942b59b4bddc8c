import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../lib/run.mjs'
import { captured } from './captured.mjs'

const ROUNDS = 7

/**
 * Measures the cost of importing each entry in a new process of a project with all dependencies. Returns medians of rounds in which the entries
 * alternate: CPU time (`cpuMs`) and resident memory (`mib`), both including the other packages that the entry needs.
 */
export function importCosts(project, entries) {
  copyFileSync(join(root, 'scripts/packages/cost-process.mjs'), join(project.cwd, 'cost-process.mjs'))
  const measured = new Map(entries.map((entry) => [entry, []]))
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [entry, rounds] of measured) {
      const { code, stdout, output } = captured('node', ['cost-process.mjs', entry], project)
      if (code !== 0) throw new Error(`${entry} cannot be imported:\n${output}`)
      rounds.push(JSON.parse(stdout))
    }
  }
  return [...measured].map(([entry, rounds]) => ({ entry, cpuMs: median(rounds, 'cpuMs'), mib: median(rounds, 'mib') }))
}

const median = (rounds, key) => rounds.map((round) => round[key]).sort((a, b) => a - b)[Math.floor(ROUNDS / 2)]
