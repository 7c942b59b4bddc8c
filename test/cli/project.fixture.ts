import { spawn, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Compiled, tsc } from '../tsc.js'
import { outputFaults } from './cli-output.js'
import { runInThread } from './command-thread.js'

const repository = fileURLToPath(new URL('../..', import.meta.url))
const command = join(repository, 'packages/codegen/bin/toolgen.js')

/** Result of a command. */
export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A project in a temporary folder with links to the packages of this workspace. */
export interface Project {
  readonly root: string
  /** Writes files by path. The value `undefined` removes a file. */
  write(files: Readonly<Record<string, string | undefined>>): void
  read(path: string): string
  has(path: string): boolean
  /** Returns all files with their contents, without `node_modules`. */
  tree(): Readonly<Record<string, string>>
  /** Runs the command in a thread that simulates a process. */
  toolgen(...args: readonly string[]): Ran
  /** Runs the command in a real process, which is slower. */
  process(...args: readonly string[]): Ran
  /** Starts the command and resolves with its exit code. */
  start(...args: readonly string[]): Promise<number | null>
  /** Runs a script with Node, with additional environment variables, in the folder of the project or in `cwd`. */
  node(args: readonly string[], env?: Readonly<Record<string, string>>, cwd?: string): Ran
  /** Type-checks with TypeScript 7.0, and compiles if the configuration has an output. */
  tsc(...args: readonly string[]): Compiled
  remove(): void
}

export const toolgenCommand: string = command

/** @param more further packages of `test/package.json` to link */
export function createProject(files: Readonly<Record<string, string>> = {}, more: readonly string[] = []): Project {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'toolgen-cli-')))
  for (const name of ['dsl', 'codegen', 'runtime']) link(`packages/${name}`, `@toolgen/${name}`)
  for (const name of ['zod', ...more]) link(`test/node_modules/${name}`, name)
  link('node_modules/@types/node', '@types/node')

  function link(from: string, name: string): void {
    const target = join(root, 'node_modules', name)
    mkdirSync(dirname(target), { recursive: true })
    symlinkSync(realpathSync(join(repository, from)), target)
  }

  const project: Project = {
    root,
    write(changes) {
      for (const [path, text] of Object.entries(changes)) {
        const target = join(root, path)
        if (text === undefined) {
          rmSync(target)
          continue
        }
        mkdirSync(dirname(target), { recursive: true })
        writeFileSync(target, text)
      }
    },
    read: (path) => readFileSync(join(root, path), 'utf8'),
    has: (path) => existsSync(join(root, path)),
    tree: () =>
      Object.fromEntries(filesBelow(root, '').map((path) => [path, readFileSync(join(root, path), 'latin1')])),
    toolgen: (...args) => asDocumented(args, runInThread(args, { cwd: root, env: plainEnvironment() })),
    process: (...args) => asDocumented(args, project.node([command, ...args])),
    start: (...args) =>
      new Promise((done) => {
        spawn(process.execPath, [command, ...args], { cwd: root, stdio: 'ignore' }).on('exit', done)
      }),
    node(args, env = {}, cwd = root) {
      const options = { cwd, encoding: 'utf8', env: { ...plainEnvironment(), ...env } } as const
      const { status, stdout, stderr } = spawnSync(process.execPath, args, options)
      return { code: status, stdout, stderr }
    },
    tsc: (...args) => tsc('7.0', root, ...args),
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
  project.write(files)
  return project
}

/** Variables that change the output of the command, or the packages that the command finds. */
const CHANGING = ['NO_COLOR', 'FORCE_COLOR', 'GITHUB_WORKSPACE', 'NODE_PATH']

/** Returns the environment without variables that change what the command does. */
export function plainEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !CHANGING.includes(name)))
}

function filesBelow(root: string, folder: string): readonly string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.name === 'node_modules') return []
    if (entry.isDirectory()) return filesBelow(root, path)
    return entry.isFile() ? [path] : []
  })
}

/** Checks that JSON output of a command matches its schema. */
function asDocumented(args: readonly string[], ran: Ran): Ran {
  if (!args.includes('--json') || args.includes('--help')) return ran
  const faults = ran.stdout
    .split(/(?<=^\})\n/m)
    .filter((text) => text !== '')
    .flatMap(outputFaults)
  if (faults.length > 0) throw new Error(`toolgen ${args.join(' ')}: ${faults.join('; ')}\n${ran.stdout}`)
  return ran
}

/** A small project with compiler options that make reading the client type fast. */
export const smallProject: Readonly<Record<string, string>> = {
  'package.json': '{ "private": true, "type": "module" }\n',
  'tsconfig.json': `${JSON.stringify({
    compilerOptions: {
      target: 'ES2022',
      lib: ['ES2022'],
      module: 'NodeNext',
      types: [],
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      verbatimModuleSyntax: true,
      isolatedDeclarations: true,
      declaration: true,
      erasableSyntaxOnly: true,
      skipLibCheck: true,
      noEmit: true,
    },
    include: ['gen', 'src'],
  })}\n`,
  'toolgen.config.ts': `import { defineConfig } from '@toolgen/codegen'

export default defineConfig({ design: 'design/*.ts' })
`,
  'src/orders-client.ts': `export interface OrdersClient {
  getOrder(input: { orderId: string }): Promise<{ id: string; status: string }>
}
`,
  'design/clients.ts': `import { type ServiceClient, serviceClient } from '@toolgen/dsl'
import type { OrdersClient } from '../src/orders-client.js'

export const ordersClient: ServiceClient<OrdersClient> = serviceClient<OrdersClient>()
`,
  'design/orders.ts': `import { defineTool, defineToolset } from '@toolgen/dsl'
import { orderId } from './fields.js'

export const orders = defineToolset('orders', {
  description: 'Look up orders.',
  tools: {
    getOrder: defineTool({
      description: 'Fetch one order.',
      payload: { type: 'object', properties: { orderId }, required: ['orderId'], additionalProperties: false },
      result: {
        type: 'object',
        properties: { id: { type: 'string' }, status: { type: 'string' } },
        required: ['id', 'status'],
      },
    }),
  },
})
`,
  'design/fields.ts': `export const orderId = { type: 'string', minLength: 1, description: 'Order number' } as const
`,
  'design/support.ts': `import { defineAgent, fromService } from '@toolgen/dsl'
import { ordersClient } from './clients.js'
import { orders } from './orders.js'

export const support = defineAgent('support', {
  description: 'Answers customers.',
  uses: [fromService(orders, ordersClient)],
})
`,
}
