import { Runtime } from '@toolgen/runtime'
import { codeMode, quickJsSandbox, typescriptChecker } from '@toolgen/runtime/code-mode'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dataFolder, hasData } from '../data.js'
import { type Mutant, mutantsOf, mutationKinds } from './plans/mutations.js'
import { fakesOf, type JudgedPlan, judgedPlans } from './plans/verdicts.js'
import { programRounds } from './soak/program-rounds.js'

const checker = typescriptChecker({ timeLimitMs: 120_000 })
const sandbox = quickJsSandbox()
afterAll(() => Promise.all([checker.close(), sandbox.close()]))

describe.skipIf(!hasData)('a plan as a program with one mistake (needs the data folder)', () => {
  let mutants: readonly { readonly judged: JudgedPlan; readonly mutant: Mutant }[] = []
  beforeAll(async () => {
    const accepted = (await judgedPlans(dataFolder() ?? '', checker)).filter(({ hint }) => hint === '')
    mutants = accepted.flatMap((judged, seed) =>
      mutantsOf(judged.program, judged.tools, seed).map((mutant) => ({ judged, mutant })),
    )
  })

  it.each(mutationKinds)('has no effect: %s', async (kind) => {
    const found = mutants.filter(({ mutant }) => mutant.kind === kind)
    // Some of each kind; `npm run bench -- code-mode` runs all.
    const chosen = found.filter((_, at) => at % Math.ceil(found.length / 4) === 0)
    expect(chosen.length).toBeGreaterThan(2)
    for (const { judged, mutant } of chosen) expect(await effects(judged, mutant), mutant.code).toEqual([])
  })

  /** Runs a program. Returns its calls, or its outcome if it was not rejected. */
  async function effects({ tools }: JudgedPlan, { code }: Mutant): Promise<readonly unknown[]> {
    const { tools: bound, calls } = fakesOf(tools)
    const program = new Runtime().registerToolset(codeMode(bound, { checker, sandbox, comments: 'none' }))
    const outcome = await program.execute({ tool: 'run_program', arguments: JSON.stringify({ code }) })
    return outcome.status === 'failed' ? calls : [outcome]
  }
})

describe('random programs, bombs and escapes, with threads that are killed', () => {
  it('end as they must, and repeat no call', async () => {
    const { programs, faults } = await programRounds(1, (count) => count < 24)
    expect(programs).toBeGreaterThanOrEqual(24)
    // On a busy machine, the event loop is late.
    expect(faults.filter((fault) => !fault.startsWith('the event loop'))).toEqual([])
  })
})
