import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { filesOf } from './examples-of.js'
import { root, snippetProject } from './snippet-project.js'

/** What the README leaves to its reader: the client. */
const project = snippetProject({
  'src/orders-client.ts': `export class OrdersClient {
  async fetchOrder(request: { orderId: string; sessionId: string }): Promise<{ id: string; status: 'open' | 'shipped'; total: number }> {
    return { id: request.orderId, status: 'open', total: 41.5 }
  }
}`,
})

afterAll(() => project.remove())

it('the example of the README is at most 30 lines, generates, type-checks and runs', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const files = filesOf(readme)
  expect(Object.keys(files)).toEqual(['design/orders.ts', 'src/main.ts'])
  expect(Object.values(files).join('\n').split('\n').length).toBeLessThanOrEqual(30)
  for (const [path, text] of Object.entries(files)) project.write(path, text)
  const wrong = `{ tool: 'orders_getOrder', arguments: '{"orderID":"A-1001"}' }`
  project.write(
    'src/wrong.ts',
    `${files['src/main.ts']}\nconsole.log(renderForModel(await support.execute(${wrong}, { sessionId: 's-1' })))\n`,
  )
  expect(project.generate()).toMatchObject({ status: 0, stdout: '' })
  // Once for all documents the declarations of the packages are checked too.
  expect(project.compile('--skipLibCheck', 'false')).toMatchObject({ status: 0, stdout: '' })
  expect(project.run('dist/src/main.js')).toEqual({ status: 0, stdout: '41.5\n', stderr: '' })
  const { stdout } = project.run('dist/src/wrong.js')
  expect(stdout).toMatch(/^41\.5\n.*did you mean "orderId"/)
  expect(readme).toContain(`\`\`\`text\n${stdout.slice('41.5\n'.length)}\`\`\``)
})
