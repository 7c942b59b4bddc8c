import { isDeepStrictEqual } from 'node:util'
import { apiDeclarations, quickJsSandbox, typescriptChecker } from '@toolgen/runtime/code-mode'
import { testModule } from '../../lib/test-module.mjs'
import { atLeast, atMost, skipped } from '../report.mjs'

/** Imports the plans. If the data are missing, returns the reason. */
export async function loadedPlans() {
  const { dataFolder } = await testModule('data.ts')
  const folder = dataFolder()
  if (folder === undefined) return { missing: 'no data folder' }
  const checker = typescriptChecker()
  const sandbox = quickJsSandbox()
  const { judgedPlans, ...verdicts } = await testModule('code-mode/plans/verdicts.ts')
  return {
    folder,
    verdicts,
    judged: await judgedPlans(folder, checker),
    parts: { checker, sandbox },
    close: () => Promise.all([checker.close(), sandbox.close()]),
  }
}

/** Compares the result of the checker with an independent verdict, and accepted programs with plain calls. */
export async function planRows({ log }) {
  const title = 'plans of NESTFUL'
  const { missing, judged, verdicts, parts, close } = await loadedPlans()
  if (missing) return [{ case: title, contestant: 'accepted', value: skipped(missing), unit: 'plans' }]
  try {
    const { comparedRuns } = await testModule('code-mode/plans/runs.ts')
    const { verdictOf, missesContradiction } = verdicts
    const accepted = judged.filter(({ hint }) => hint === '')
    const rejected = judged.filter(({ hint }) => hint !== '')
    for (const { plan, problems, hint } of rejected) log(rejectionText(plan, problems, hint))
    let equal = 0
    for (const each of accepted) {
      const { plain, program } = await comparedRuns(each, parts)
      if (JSON.stringify(plain) === JSON.stringify(program)) equal += 1
      else log(`DIFFERENT ${each.plan.id}: ${JSON.stringify({ plain, program })}`)
    }
    const count = (contestant, value, ...aims) => ({ case: title, contestant, value, unit: 'plans', aims })
    const having = (list, verdict) => list.filter((each) => verdictOf(each) === verdict).length
    return [
      count('accepted by the check', accepted.length),
      count('accepted, same calls and values as plain calls', equal, atLeast(accepted.length)),
      count('accepted, but contradicts its specification', having(accepted, 'contradicts'), atMost(0)),
      count('rejected: contradicts its specification', having(rejected, 'contradicts')),
      count('rejected: the specification does not declare a type', having(rejected, 'silent')),
      count('rejected, but agrees with its specification', having(rejected, 'agrees'), atMost(0)),
      count('rejected without naming a contradiction', rejected.filter(missesContradiction).length, atMost(0)),
    ]
  } finally {
    await close()
  }
}

function rejectionText({ id }, problems, hint) {
  const [, ...lines] = hint.replace(/ Correct the arguments and call again\.$/, '').split('\n')
  const found = problems.map(({ verdict, text }) => `  ${verdict}: ${text}`)
  return [`${id}`, ...found, ...lines.map((line) => `  message: ${line}`)].join('\n')
}

/** Returns the mean turns and tokens of plans with at least three calls. */
export async function tokenRows({ quick }) {
  const title = 'plan of 3 calls and more, agent with 20 tools'
  const { missing, judged, parts, close } = await loadedPlans()
  if (missing) return [{ case: title, contestant: 'program', value: skipped(missing), unit: 'input tokens' }]
  try {
    const { agentOf, planConversations } = await testModule('code-mode/plans/plan-tokens.ts')
    const plans = judged.filter(({ plan }) => plan.steps.length >= 3).slice(0, quick ? 5 : undefined)
    const sums = new Map()
    const add = (contestant, conversation) => {
      const sum = sums.get(contestant) ?? { turns: 0, input: 0, output: 0 }
      sums.set(contestant, sum)
      for (const key of Object.keys(sum)) sum[key] += conversation[key]
    }
    for (const { plan, tools } of plans) {
      const agent = agentOf(plan, tools, 20)
      for (const [suffix, comments] of [
        ['', 'short'],
        [', no comments', 'none'],
      ]) {
        const { plain, parallel, program, corrected, searched } = await planConversations(plan, tools, agent, {
          ...parts,
          comments,
        })
        if (suffix === '') add('one call per turn', plain)
        if (suffix === '') add('independent calls in one turn', parallel)
        add(`program${suffix}`, program)
        add(`program after a failed check${suffix}`, await corrected())
        add(`program after a search${suffix}`, await searched())
      }
    }
    return [...sums].flatMap(([contestant, { turns, input, output }]) => {
      const row = (sum, unit, ...aims) => ({
        case: title,
        contestant,
        value: sum / plans.length,
        unit,
        against: 'one call per turn',
        aims,
      })
      const isProgram = contestant === 'program'
      const limit = { program: 0.42, 'program after a search': 0.25 }[contestant]
      return [
        row(turns, 'turns', isProgram ? atMost(2) : undefined),
        row(input, 'input tokens', limit === undefined ? undefined : atMost(limit, 'one call per turn')),
        row(output, 'output tokens'),
      ]
    })
  } finally {
    await close()
  }
}

/** Returns the tokens of the declarations with default comments, relative to the tool definitions for OpenAI. */
export async function declarationRows() {
  const title = 'declarations of'
  const { dataFolder } = await testModule('data.ts')
  const folder = dataFolder()
  if (folder === undefined)
    return [{ case: title, contestant: 'declarations', value: skipped('no data folder'), unit: 'tokens' }]
  const { mcpSpecs } = await testModule('code-mode/plans/mcp-tools.ts')
  const { definitionsOf, tokensOf } = await testModule('code-mode/plans/plan-tokens.ts')
  const { airlineToolset } = await testModule('airline/gen/toolsets/airline/index.ts')
  const bookkeeper = await testModule('../examples/code-mode/gen/agents/bookkeeper/specs.ts')
  const sets = {
    '609 tools of 30 MCP servers': mcpSpecs(folder),
    'the airline of tau-bench, 14 tools': airlineToolset.tools.map(({ spec }) => spec),
    'the example code-mode, 24 tools': bookkeeper.advertisedSpecs(),
  }
  const against = 'tool definitions'
  return Object.entries(sets).flatMap(([name, specs]) => {
    const row = (contestant, text, ...aims) => ({
      case: `${title} ${name}`,
      contestant,
      value: tokensOf(text),
      unit: 'tokens',
      against,
      aims,
    })
    return [
      row(against, definitionsOf(specs)),
      row('declarations', apiDeclarations(specs).text, atMost(0.5, against)),
      row('declarations, no comments', apiDeclarations(specs, { comments: 'none' }).text),
    ]
  })
}

/** Compares the programs of the airline tasks with plain calls: calls, results, database, turns and tokens. */
export async function airlineRows() {
  const title = 'airline tasks of tau-bench'
  const { dataFolder } = await testModule('data.ts')
  const folder = dataFolder()
  if (folder === undefined)
    return [{ case: title, contestant: 'program', value: skipped('no data folder'), unit: 'tasks' }]
  const parts = { checker: typescriptChecker(), sandbox: quickJsSandbox() }
  try {
    const { airlineRuns } = await testModule('code-mode/plans/airline-tasks.ts')
    const runs = await airlineRuns(folder, parts)
    const equal = runs.filter(({ plain, program }) => isDeepStrictEqual(plain, program)).length
    const count = (contestant, value, ...aims) => ({ case: title, contestant, value, unit: 'tasks', aims })
    return [
      count('accepted by the check', runs.length),
      count('same calls, results and database as plain calls', equal, atLeast(runs.length)),
      ...conversationRows('airline task of 1 call and more', withCalls(runs, 1)),
      ...conversationRows('airline task of 3 calls and more', withCalls(runs, 3), 0.42),
    ]
  } finally {
    await Promise.all([parts.checker.close(), parts.sandbox.close()])
  }
}

const withCalls = (runs, count) => runs.filter(({ plain }) => plain.tools.length >= count)

/**
 * Mean turns and tokens of runs.
 *
 * @param limit maximum ratio of the input tokens. Default: no aim
 */
function conversationRows(title, runs, limit) {
  const against = 'one call per turn'
  const names = { [against]: 'plain', program: 'program' }
  return Object.entries(names).flatMap(([contestant, key]) =>
    [
      ['turns', 'turns'],
      ['input', 'input tokens'],
      ['output', 'output tokens'],
    ].map(([part, unit]) => {
      const value = runs.reduce((sum, { tokens }) => sum + tokens[key][part], 0) / runs.length
      const programAims = { turns: atMost(2), ...(limit !== undefined && { input: atMost(limit, against) }) }
      const aims = contestant === 'program' ? [programAims[part]] : []
      return { case: `${title} (${runs.length})`, contestant, value, unit, against, aims }
    }),
  )
}
