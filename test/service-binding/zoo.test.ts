import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Schema } from '../../packages/codegen/src/ir/types.js'
import { bindServices } from '../../packages/codegen/src/services/bind-services.js'
import {
  clientModule,
  designWith,
  nil,
  object,
  type ToolCase,
} from '../../packages/codegen/src/services/bound-design.fixture.js'
import * as payloads from '../../packages/codegen/src/services/payload-zoo.fixture.js'
import * as results from '../../packages/codegen/src/services/result-zoo.fixture.js'
import * as streams from '../../packages/codegen/src/services/stream-zoo.fixture.js'
import { faultsOf, generateInto, newProject, removeProject } from './generated-executor.js'

/** A client with one method a case, and the tools that are bound to them. */
interface Zoo {
  readonly folder: string
  readonly methods: readonly string[]
  readonly types: string
  readonly tools: Readonly<Record<string, ToolCase>>
  readonly defs: Readonly<Record<string, Schema>>
}

/** The cases whose binding has no mistake, with the names of their methods. */
function bindable<Case extends readonly [string, Schema, string, ...unknown[]]>(
  cases: Readonly<Record<string, Case>>,
): readonly (readonly [string, Case])[] {
  return Object.values(cases).flatMap((each, index) =>
    each[2].startsWith('error') ? [] : [[`m${index}`, each] as const],
  )
}

const sent: Zoo = {
  folder: 'payloads',
  methods: bindable(payloads.cases).map(([name, [parameters]]) => `${name}(${parameters}): Promise<void>`),
  types: payloads.types,
  tools: Object.fromEntries(
    bindable(payloads.cases).map(([name, [, payload, , binding]]) => [
      name,
      { payload, result: nil, ...binding, method: name },
    ]),
  ),
  defs: payloads.defs,
}

const answered: Zoo = {
  folder: 'results',
  methods: bindable(results.cases).map(([name, [returned]]) => `${name}(): ${returned}`),
  types: results.types,
  tools: Object.fromEntries(
    bindable(results.cases).map(([name, [, result, , answer]]) => [
      name,
      { payload: object({}), result, ...(answer === undefined ? {} : { answer }) },
    ]),
  ),
  defs: results.defs,
}

const streamed: Zoo = {
  folder: 'streams',
  methods: Object.values(streams.cases).map(({ returned }, index) => `m${index}(): ${returned}`),
  types: streams.types.replace(/^.*(?:MARK|Provenanced).*$/gm, ''),
  tools: Object.fromEntries(
    Object.values(streams.cases).map((tool, index) => [`m${index}`, { payload: object({}), ...tool }]),
  ),
  defs: streams.defs,
}

let root = ''

beforeAll(async () => {
  root = newProject({})
  for (const zoo of [sent, answered, streamed]) {
    const folder = newProject(
      {
        'client.ts': clientModule(
          `import type { Provenanced } from '../../../../packages/runtime/dist/index.js'\nexport interface Client {\n${zoo.methods.join('\n')}\n}\n${zoo.types}`,
        ),
      },
      `${root}/${zoo.folder}`,
    )
    const design = designWith(zoo.tools, zoo.defs)
    const { value: plans, diagnostics } = await bindServices(design, { root: folder })
    if (plans === undefined) throw new Error(JSON.stringify(diagnostics))
    generateInto(folder, design, plans)
  }
})

afterAll(() => removeProject(root))

test.each(['5.9', '7.0'] as const)('TypeScript %s accepts every generated transform', (version) => {
  const files = [sent, answered, streamed].map(({ folder }) => `${folder}/gen/agents/keeper/zoo.service.ts`)
  expect(faultsOf(root, version, files)).toBe('')
})
