import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { root, snippetProject } from './snippet-project.js'

/** What the README leaves out of its example: imports, and the client. */
const project = snippetProject({
  'design/clients.ts': `import { serviceClient } from '@toolgen/dsl'
import type { OrdersClient } from '../src/orders-client.js'
export const ordersClient = serviceClient<OrdersClient>()`,
  'src/orders-client.ts': `export class OrdersClient {
  async fetchOrder(request: { orderId: string; sessionId: string }): Promise<{ id: string; status: 'open' | 'shipped'; total: number }> {
    return { id: request.orderId, status: 'open', total: 41.5 }
  }
}`,
})
const imports: Readonly<Record<string, string>> = {
  'design/orders.ts': `import { defineAgent, defineTool, defineToolset, fromService } from '@toolgen/dsl'
import { z } from 'zod'
import { ordersClient } from './clients.js'`,
  'src/main.ts': `import { renderForModel, Runtime } from '@toolgen/runtime'
import { registerSupport } from '../gen/agents/support/index.js'
import { newGetOrderCall } from '../gen/toolsets/orders/index.js'
import { OrdersClient } from './orders-client.js'`,
}

afterAll(() => project.remove())

it('the example of the README is at most 20 lines, generates, type-checks and runs', { timeout: 60_000 }, () => {
  for (const [path, text] of readmeFiles()) project.write(path, `${imports[path]}\n${text}`)
  expect([...readmeFiles()].map(([path]) => path)).toEqual(Object.keys(imports))
  expect(
    readmeExample()
      .split('\n')
      .filter((line) => !line.startsWith('// ')).length,
  ).toBeLessThanOrEqual(20)
  expect(project.generate()).toMatchObject({ status: 0, stdout: '' })
  expect(project.compile()).toMatchObject({ status: 0, stdout: '' })
  expect(project.run('dist/src/main.js')).toEqual({ status: 0, stdout: '41.5\n', stderr: '' })
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
