import { afterAll, beforeAll, expect, it } from 'vitest'
import { createProject, type Project, smallProject } from '../cli/project.fixture.js'

const document = {
  openapi: '3.1.0',
  info: { title: 'Payments', version: '1' },
  servers: [{ url: 'https://pay.example' }],
  paths: {
    '/payments': {
      post: {
        operationId: 'createPayment',
        summary: 'Create a payment.',
        parameters: [{ name: 'Idempotency-Key', in: 'header', required: true, schema: { type: 'string' } }],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: { type: 'object', properties: { cents: { type: 'integer' } }, required: ['cents'] },
            },
          },
        },
        responses: {
          200: { description: 'Created.', content: { 'application/json': { schema: { type: 'object' } } } },
        },
      },
    },
  },
}

let project: Project
beforeAll(() => {
  project = createProject({
    ...smallProject,
    'api.json': JSON.stringify(document),
    'design/payer.ts': `import { defineAgent, fromOpenApi } from '@toolgen/dsl'
import { payments } from './payments.openapi.js'
export const payer = defineAgent('payer', { description: 'Pays invoices.', uses: [fromOpenApi(payments)] })
`,
  })
  expect(project.toolgen('import', 'openapi', 'payments', '--from', 'api.json').code).toBe(0)
})
afterAll(() => project.remove())

const lint = (): string => project.toolgen('lint').stderr + project.toolgen('lint').stdout

it('a header that a model would invent is reported by lint', () => {
  expect(lint()).toContain('is an idempotency key that the model must invent')
})

it('a header of a document is filled by the runtime, with one key for all attempts', () => {
  project.write({
    'design/payments.openapi.ts': `import { importedToolset } from '@toolgen/dsl'
import { paymentsSnapshot } from './payments.openapi.snapshot.js'
export const payments = importedToolset(paymentsSnapshot, {
  tools: { createPayment: { serverOwned: { 'Idempotency-Key': 'idempotencyKey' } } },
})
`,
    'src/pay.ts': `import { retry, Runtime } from '@toolgen/runtime'
import { registerPayer } from '../gen/agents/payer/index.js'
import { newCreatePaymentCall } from '../gen/toolsets/payments/index.js'

const keys: (string | null)[] = []
const payer = registerPayer(new Runtime(), {
  toolsets: {
    payments: {
      fetch: async (_url, init) => {
        keys.push(new Headers(init?.headers).get('idempotency-key'))
        return keys.length < 3 ? new Response(null, { status: 503 }) : Response.json({})
      },
      layers: (tools) => tools.layer(retry({ attempts: 3, delayMs: () => 0 })),
    },
  },
})
const call = newCreatePaymentCall({ cents: 100 }, { toolCallId: 'invoice-7' })
await payer.execute(call)
await payer.execute(call, { runId: 'run-1' })
console.log(JSON.stringify(keys))
`,
  })
  expect(project.toolgen('generate')).toMatchObject({ code: 0 })
  expect(lint()).not.toContain('idempotency key')
  const plain = ['--declaration', 'false', '--isolatedDeclarations', 'false']
  expect(project.tsc('-p', '.', '--noEmit', 'false', '--outDir', 'out', '--types', 'node', ...plain)).toMatchObject({
    code: 0,
    stdout: '',
  })
  expect(JSON.parse(project.node(['out/src/pay.js']).stdout)).toEqual([
    ...['invoice-7', 'invoice-7', 'invoice-7'],
    'run-1/invoice-7',
  ])
})
