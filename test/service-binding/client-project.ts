import { expect } from 'vitest'
import { bindServices } from '../../packages/codegen/src/services/bind-services.js'
import { designWith, type ToolCase } from '../../packages/codegen/src/services/bound-design.fixture.js'
import { generateInto, newProject } from './generated-executor.js'

/** A client of a published package, with tools that are bound to its methods. */
export interface PublishedClient {
  /** Source of the import and of the type `Client`. */
  readonly types: string
  readonly tools: Readonly<Record<string, ToolCase>>
}

/** Binding of a published client. */
export interface BoundClient {
  readonly root: string
  /**
   * Result of the binding by tool: the mode of the payload and of the result, with diagnostic codes. Examples: `pass / convert`, `mapper TG4101 /
   * pass`. A streaming tool has three modes.
   */
  readonly verdicts: Readonly<Record<string, string>>
  /** Source of the generated executor. */
  readonly executor: string
}

/** Path of the generated executor, relative to the root. */
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
