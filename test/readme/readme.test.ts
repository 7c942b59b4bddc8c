import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
// Inside the workspace, so that its packages resolve as they do for a user who installed them.
const project = mkdtempSync(join(root, 'test/.out-readme-'))

/** What the README leaves out of its example: imports, the client, and the configuration of a project. */
const surroundings: Readonly<Record<string, string>> = {
  'package.json': '{ "type": "module" }',
  'tsconfig.json': JSON.stringify({
    compilerOptions: {
      module: 'NodeNext',
      target: 'ES2022',
      strict: true,
      outDir: 'dist',
      rootDir: '.',
      types: ['node'],
    },
    include: ['src', 'gen', 'design'],
  }),
  'toolgen.config.ts': `import { defineConfig } from '@toolgen/codegen'
export default defineConfig({ design: 'design/orders.ts', output: 'gen' })`,
  'design/clients.ts': `import { serviceClient } from '@toolgen/dsl'
import type { OrdersClient } from '../src/orders-client.js'
export const ordersClient = serviceClient<OrdersClient>()`,
  'src/orders-client.ts': `export class OrdersClient {
  async fetchOrder(request: { orderId: string; sessionId: string }): Promise<{ id: string; status: 'open' | 'shipped'; total: number }> {
    return { id: request.orderId, status: 'open', total: 41.5 }
  }
}`,
}
const imports: Readonly<Record<string, string>> = {
  'design/orders.ts': `import { defineAgent, defineTool, defineToolset, fromService } from '@toolgen/dsl'
import { z } from 'zod'
import { ordersClient } from './clients.js'`,
  'src/main.ts': `import { renderForModel, Runtime } from '@toolgen/runtime'
import { registerSupport } from '../gen/agents/support/index.js'
import { newGetOrderCall } from '../gen/toolsets/orders/index.js'
import { OrdersClient } from './orders-client.js'`,
}

beforeAll(() => {
  for (const [path, text] of Object.entries(surroundings)) write(path, text)
  for (const [path, text] of readmeFiles()) write(path, `${imports[path]}\n${text}`)
})

afterAll(() => rmSync(project, { recursive: true, force: true }))

it('the example of the README is at most 20 lines, generates, type-checks and runs', { timeout: 60_000 }, () => {
  expect([...readmeFiles()].map(([path]) => path)).toEqual(Object.keys(imports))
  expect(
    readmeExample()
      .split('\n')
      .filter((line) => !line.startsWith('// ')).length,
  ).toBeLessThanOrEqual(20)
  expect(node(join(root, 'packages/codegen/bin/toolgen.js'), 'generate')).toEqual({ status: 0, stdout: '' })
  expect(node(join(root, 'node_modules/typescript/bin/tsc'), '-p', '.')).toEqual({ status: 0, stdout: '' })
  expect(node('dist/src/main.js')).toEqual({ status: 0, stdout: '41.5\n' })
})

function readmeExample(): string {
  const [, example = ''] = /```ts\n([\s\S]*?)\n```/.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? []
  return example
}

/** The files of the example: each begins with a comment that names it. */
function readmeFiles(): readonly (readonly [string, string])[] {
  return readmeExample()
    .split(/^(?=\/\/ \w+\/)/m)
    .map((part) => [/^\/\/ ([\w/.-]+\.ts)/.exec(part)?.[1] ?? '', part] as const)
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(project, path)), { recursive: true })
  writeFileSync(join(project, path), text)
}

function node(...args: readonly string[]): { readonly status: number | null; readonly stdout: string } {
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: project, encoding: 'utf8' })
  return { status, stdout }
}
