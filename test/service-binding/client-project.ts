import { expect } from 'vitest'
import { bindServices } from '../../packages/codegen/src/services/bind-services.js'
import { designWith, type ToolCase } from '../../packages/codegen/src/services/bound-design.fixture.js'
import { generateInto, newProject } from './generated-executor.js'

/** A published client with tools bound to its methods. */
export interface PublishedClient {
  /** The import and the declaration of the client's type, called `Client`. */
  readonly types: string
  readonly tools: Readonly<Record<string, ToolCase>>
}

/** What became of a published client's tools. */
export interface BoundClient {
  readonly root: string
  /** Tool → verdicts and the codes of what was found: `pass / convert`, `mapper TG4101 / pass`; three of a stream. */
  readonly verdicts: Readonly<Record<string, string>>
  /** The text of the generated executor. */
  readonly executor: string
}

/** The generated executor, relative to the root. */
export const executorFile: string = 'gen/agents/keeper/zoo.service.ts'

/** Binds the tools and generates the executor. */
export async function bindPublished({ types, tools }: PublishedClient): Promise<BoundClient> {
  const root = newProject({
    'package.json': '{ "type": "module" }',
    'client.ts': `import { type ServiceClient, serviceClient } from '../../../packages/dsl/src/uses.js'
${types}
export const client: ServiceClient<Client> = serviceClient<Client>()
`,
  })
  const design = designWith(tools)
  const { value: plans, diagnostics } = await bindServices(design, { root })
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
  const verdicts = Object.entries(plans?.keeper?.zoo ?? {}).map(([name, plan]) => {
    const found = diagnostics.filter(({ message }) => message.startsWith(`\`${name}\`:`))
    const code = (side: string): string =>
      found.find(({ message }) => message.includes(`The ${side} needs`))?.code ?? ''
    const sides = { payload: plan.payload, ...(plan.stream && { update: plan.stream.update }), result: plan.result }
    const shown = Object.entries(sides).map(([side, { verdict }]) => `${verdict} ${code(side)}`.trim())
    return [name, shown.join(' / ')] as const
  })
  return {
    root,
    verdicts: Object.fromEntries(verdicts),
    executor: plans === undefined ? '' : generateInto(root, design, plans),
  }
}
