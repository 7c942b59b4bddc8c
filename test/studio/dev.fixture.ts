import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import { createProject, type Project, plainEnvironment, toolgenCommand } from '../cli/project.fixture.js'
import { Client } from './shop.fixture.js'

/** A project without a module. */
export const files = {
  'package.json': '{ "name": "shop", "private": true, "type": "module" }\n',
  'toolgen.config.ts': `export default { design: 'design/*.ts', output: 'gen' }\n`,
  'design/orders.ts': `import { defineAgent, defineTool, defineToolset, fromExecutor } from '@toolgen/dsl'
import { z } from 'zod'

export const orders = defineToolset('orders', {
  description: 'Look up orders.',
  tools: {
    getOrder: defineTool({
      description: 'Fetch one order with its total.',
      payload: z.object({ orderId: z.string().min(1).describe('Order number as printed on the invoice') }),
      result: z.object({ total: z.number() }),
      examples: [{ orderId: 'A-1001' }],
    }),
  },
})
`,
}

/** Returns a module whose tool returns a total. */
export const module = (total: string): string => `import { Runtime, toolsetRegistration } from '@toolgen/runtime'
import { ordersToolset } from '../gen/toolsets/orders/index.js'

const executor = { execute: async () => ({ total: ${total} }) }
const use = { toolset: ordersToolset, provider: 'function' }
export const tools = { toolsets: [toolsetRegistration(use, executor)], close: () => console.error('closed ${total}') }
`

/** Line of `toolgen dev --json`. */
export interface Line {
  readonly exitCode: number
  readonly diagnostics: readonly { readonly code: string; readonly message: string; readonly next: string }[]
  readonly url?: string
  readonly tools?: number
}

/** A running `toolgen dev --json`. */
export class Dev {
  readonly child: ChildProcess
  readonly ended: Promise<number | null>
  notes = ''
  readonly #lines: AsyncIterator<string>

  constructor(project: Project, ...args: readonly string[]) {
    const options = { cwd: project.root, env: plainEnvironment() }
    this.child = spawn(process.execPath, [toolgenCommand, 'dev', '--json', '--no-open', ...args], options)
    this.ended = new Promise((resolve) => this.child.on('exit', (code) => resolve(code)))
    this.child.stderr?.on('data', (text) => {
      this.notes += String(text)
    })
    if (this.child.stdout === null) throw new Error('The command has no output.')
    this.#lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]()
    onTestFinished(async () => {
      this.child.kill('SIGKILL')
      await this.ended
    })
  }

  /** The next line; with a condition, the first that meets it. */
  async line(meets: (line: Line) => boolean = () => true): Promise<Line> {
    for (;;) {
      const { done, value } = await this.#lines.next()
      if (done === true) throw new Error(`The command has ended. ${this.notes}`)
      const line: Line = JSON.parse(value)
      if (meets(line)) return line
    }
  }

  async client(): Promise<Client> {
    return this.clientOf([await this.line()])
  }

  /** Client of the URL in one of the lines. */
  clientOf(lines: readonly Line[]): Client {
    return new Client({ url: lines.flatMap(({ url }) => url ?? [])[0] ?? '' })
  }
}

/** Starts the command in a new project. */
export function start(
  changes: Readonly<Record<string, string>> = {},
  ...args: readonly string[]
): { readonly project: Project; readonly dev: Dev } {
  const project = createProject({ ...files, ...changes }, ['@toolgen/studio'])
  onTestFinished(() => project.remove())
  return { project, dev: new Dev(project, ...(args.length === 0 ? ['--port', '0'] : args)) }
}
