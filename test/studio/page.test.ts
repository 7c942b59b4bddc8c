import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { Runtime, tool, toolset } from '@toolgen/runtime'
import { base } from '@toolgen/runtime/agents'
import { calls, says, scriptedModel } from '@toolgen/runtime/testing'
import { type DevProject, Studio, type StudioTools, serveStudio } from '@toolgen/studio'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { chromiumPath, launchOptions } from '../../scripts/lib/chromium.mjs'
import { demoProject, demoTools } from './demo.js'
import { skipped, Tab, type TabOptions } from './page.fixture.js'
import { Client } from './shop.fixture.js'

const where = 'Where is my order A-1001?'

/** Serves a project until the end of the test. */
async function serve(project: DevProject) {
  const server = await serveStudio(project, { port: 0 })
  onTestFinished(() => server.close())
  return { server, client: new Client(server) }
}

/** Mounts a studio, by default a new one, below a path of an HTTP server. */
async function mounted(tools: readonly StudioTools[], port: number, studio = new Studio()) {
  const handler = studio.handler({
    ...{ tools, authorize: () => true, canCall: true, basePath: '/studio' },
    context: () => ({ sessionId: 's-1' }),
  })
  const server = createServer(async (incoming, response) => {
    const body: Buffer[] = []
    for await (const chunk of incoming) body.push(chunk)
    const { method = 'GET', url, headers } = incoming
    const sent = body.length > 0 ? { body: Buffer.concat(body) } : {}
    const closed = new AbortController()
    response.on('close', () => closed.abort())
    const init = { method, headers: headers as Record<string, string>, signal: closed.signal, ...sent }
    const answer = await handler(new Request(`http://${headers.host}${url}`, init))
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    if (answer.body === null) response.end()
    else await pipeline(Readable.fromWeb(answer.body as never), response).catch(() => undefined)
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address() as AddressInfo
  const close = async () => {
    const ended = once(server, 'close')
    server.close().closeAllConnections()
    await ended
  }
  return { url: `http://127.0.0.1:${address.port}`, port: address.port, close }
}

it('the built page has at most 400 KiB, compressed, and no inline scripts', () => {
  const folder = new URL('../../packages/studio/assets/', import.meta.url)
  const index = readFileSync(new URL('index.html', folder), 'utf8')
  const files = readdirSync(new URL('assets/', folder)).map((name) => readFileSync(new URL(`assets/${name}`, folder)))
  const bytes = [Buffer.from(index), ...files].reduce((sum, file) => sum + gzipSync(file).length, 0)
  expect(files.length).toBeGreaterThan(3)
  expect(bytes).toBeLessThan(400 * 1024)
  expect(index.match(/<script[^>]*>[^<]/)).toBeNull()
  expect(index).not.toMatch(/https?:|(?:src|href)="\//)
})

describe.skipIf(chromiumPath === undefined)(`page of the studio${skipped}`, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await chromium.launch(launchOptions)
  })
  afterAll(() => browser?.close())

  async function opened(options: TabOptions = {}) {
    const demo = demoTools()
    const { server, client } = await serve(demoProject(demo.tools))
    const tab = await Tab.open(browser, server.url, options)
    return { ...demo, server, client, tab, page: tab.page }
  }

  /** Starts a run over HTTP and waits for its end. */
  async function ran(client: Client, input: string): Promise<string> {
    const { run } = await client.post('api/runs', { agent: 'support', input })
    await client.until(run, 'completed')
    return run
  }

  const pages = (run: string, other: string) => [
    ['#/tools', 'Track parcel'],
    ['#/tools/orders.placeOrder?agent=support', 'customerId'],
    ['#/tools/orders.getOrder?agent=support&tab=contract', 'function getOrder'],
    ['#/tools/orders.getOrder?agent=support&tab=models', 'OpenAI'],
    ['#/runs', 'Order a lamp for customer seven.'],
    [`#/runs/${run}`, 'Order A-1001 is open'],
    [`#/runs/${other}?compare=${run}`, 'The first difference is in step 1'],
    ['#/chat/support', 'Talk to support'],
    [`#/chat/support/${run}`, 'It contains two lamps'],
    ['#/contract/lint', 'TG8310'],
    ['#/contract/tokens', '747 tokens'],
    ['#/contract/diff', 'is now required'],
    ['#/contract/coverage', 'fetchOrder'],
    ['#/contract/drift', 'Compare with the servers'],
    ['#/replay', 'Open a run'],
    [`#/replay/${run}`, 'Continue from here'],
  ]

  describe.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 390],
    ['dark', 390],
  ] as const)('in the theme %s with %i pixels', (theme, width) => {
    it('every page is accessible, fits and loads nothing from other hosts', async () => {
      const { client, tab, page } = await opened({ theme, width })
      const run = await ran(client, where)
      const other = await ran(client, 'Order a lamp for customer seven.')
      for (const [hash = '', text = ''] of pages(run, other)) {
        await tab.show(hash)
        await page.getByText(text).locator('visible=true').first().waitFor()
        expect([hash, await tab.accessibilityProblems()]).toEqual([hash, []])
        expect([hash, await tab.overflow()]).toEqual([hash, 0])
      }
      expect(await page.locator('html').getAttribute('data-mantine-color-scheme')).toBe(theme)
      expect(tab.errors).toEqual([])
      expect(tab.foreign).toEqual([])
    })
  })

  it('a local file and a link on another site open the studio', async () => {
    const { server } = await serve(demoProject(demoTools().tools))
    const folder = mkdtempSync(join(tmpdir(), 'toolgen-studio-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'studio.html')
    writeFileSync(file, `<!doctype html><meta http-equiv="refresh" content="0; url=${server.oneTimeUrl()}">`)
    await Tab.open(browser, pathToFileURL(file).href)

    const site = createServer((_, response) => response.end(`<a href="${server.url}">studio</a>`)).listen(0)
    onTestFinished(() => void site.close())
    await once(site, 'listening')
    const context = await browser.newContext()
    onTestFinished(() => context.close())
    const page = await context.newPage()
    await page.goto(`http://localhost:${(site.address() as AddressInfo).port}`)
    await page.getByRole('link', { name: 'studio' }).click()
    await page.locator('[data-connection=open]').waitFor()
  })

  it('a search shows only the tools that match', async () => {
    const { page } = await opened()
    const items = page.locator('.side-item')
    await expect.poll(() => items.count()).toBe(7)
    await page.keyboard.press('/')
    await page.keyboard.type('refund destructive')
    await expect.poll(() => items.count()).toBe(2)
    await page.keyboard.type('x')
    await page.getByText('No tool matches').waitFor()
  })

  it('an invalid call shows the hint, and a click uses the corrected example', async () => {
    const { tab, page } = await opened()
    await tab.show('#/tools/orders.placeOrder?agent=support')
    await page.getByLabel('customerId').fill('seven')
    await page.getByText('"seven" does not match the pattern').first().waitFor()
    // The JSON text follows the form.
    expect(JSON.parse(await page.getByRole('textbox', { name: 'JSON' }).inputValue()).customerId).toBe('seven')
    await page.getByRole('button', { name: 'Call', exact: true }).click()
    const outcome = page.getByRole('region', { name: 'Outcome' })
    await outcome.locator('[data-status=failed]').waitFor()
    expect(await outcome.textContent()).toContain('invalid_arguments')
    await outcome.getByRole('button', { name: 'Use this example' }).click()
    // The form follows the JSON text.
    await expect.poll(() => page.getByLabel('customerId').inputValue()).toBe('C-7')
    await page.getByText('valid', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Call', exact: true }).click()
    await outcome.locator('[data-status=completed]').waitFor()
    expect(await outcome.textContent()).toContain('"A-1003"')
    expect(tab.errors).toEqual([])
  })

  it('the form changes arrays, unions, optional and additional properties', async () => {
    const { tab, page } = await opened()
    await tab.show('#/tools/orders.placeOrder?agent=support')
    const form = page.getByRole('region', { name: 'Form' })
    const json = async () => JSON.parse(await page.getByRole('textbox', { name: 'JSON' }).inputValue())
    await form.getByRole('button', { name: 'Add' }).first().click()
    await expect.poll(async () => (await json()).lines.length).toBe(2)
    await form.getByRole('button', { name: 'Remove' }).first().click()
    await expect.poll(async () => (await json()).lines.length).toBe(1)
    await form.locator('#call_payment__oneof_select').click()
    await page.getByRole('option', { name: 'kind: invoice' }).click()
    await expect.poll(async () => (await json()).payment.kind).toBe('invoice')
    await form.getByRole('checkbox', { name: 'gift' }).check()
    await expect.poll(async () => (await json()).gift).toBe(true)
    // Invalid JSON text keeps the form away, and a correction brings it back.
    await page.getByRole('textbox', { name: 'JSON' }).fill('{"customerId": "C-1",')
    await form.getByText('The form needs a JSON object').waitFor()
    await page.getByRole('textbox', { name: 'JSON' }).fill('{"customerId": "C-1", "unknown": 1}')
    await expect.poll(() => page.getByLabel('customerId').inputValue()).toBe('C-1')
    expect(await json()).toEqual({ customerId: 'C-1', unknown: 1 })
  })

  it('a streaming tool shows its updates', async () => {
    const { tab, page } = await opened()
    await tab.show('#/tools/orders.trackParcel?agent=support')
    await page.getByRole('button', { name: 'Call', exact: true }).click()
    const updates = page.getByRole('list', { name: 'Updates' }).getByRole('listitem')
    await expect
      .poll(() => updates.allTextContents())
      .toEqual(['{"place":"Hamburg"}', '{"place":"Hannover"}', '{"place":"Oslo"}'])
    await page.getByRole('region', { name: 'Outcome' }).locator('[data-status=completed]').waitFor()
  })

  it('an approver edits the arguments of a call', async () => {
    const { tab, page, refunds } = await opened()
    await tab.show('#/tools/payments.refund?agent=support')
    await page.getByRole('textbox', { name: 'JSON' }).fill('{"paymentId":"P-7","amount":49}')
    await page.getByRole('button', { name: 'Call', exact: true }).click()
    const pending = page.locator('[data-pending=approval]')
    await pending.getByRole('button', { name: 'Edit arguments' }).click()
    await pending.getByRole('textbox', { name: 'JSON' }).fill('{"paymentId":"P-7","amount":0}')
    await pending.getByText('invalid arguments').waitFor()
    await pending.getByRole('textbox', { name: 'JSON' }).fill('{"paymentId":"P-7","amount":20}')
    await pending.getByRole('button', { name: 'Approve with these arguments' }).click()
    await page.getByRole('region', { name: 'Outcome' }).locator('[data-status=completed]').waitFor()
    expect(refunds).toEqual([{ paymentId: 'P-7', amount: 20 }])
  })

  it('a nested run that waits continues after an answer in the conversation', async () => {
    const { tab, page, refunds } = await opened()
    await tab.show('#/chat/support')
    await tab.say('Refund payment P-7, please.')
    const pending = page.locator('[data-pending=approval]')
    await pending.waitFor()
    await page.locator('.rail-count', { hasText: '1' }).waitFor()
    expect(await tab.accessibilityProblems()).toEqual([])
    expect(await page.locator('.chat-call').allTextContents()).toEqual([
      expect.stringContaining('Ask the clerk'),
      expect.stringContaining('Refund a payment'),
    ])
    // A reload keeps the place.
    await page.reload()
    await pending.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('The refund is on its way.').waitFor()
    expect(refunds).toEqual([{ paymentId: 'P-7', amount: 49 }])
    await page.getByRole('link', { name: 'Timeline' }).click()
    const call = page.locator('[data-kind=call]', { hasText: 'Refund a payment' })
    await call.waitFor()
    expect(Number(await call.getAttribute('data-depth'))).toBeGreaterThanOrEqual(3)
    // The conversation continues.
    await page.goBack()
    await tab.say('Thanks')
    await page.getByText('You wrote: Thanks').waitFor()
    expect(await page.locator('.bubble-user').allTextContents()).toEqual(['Refund payment P-7, please.', 'Thanks'])
  })

  it('a denial sends its reason to the model', async () => {
    const { tab, page, refunds } = await opened()
    await tab.show('#/tools/payments.refund?agent=support')
    await page.getByRole('textbox', { name: 'JSON' }).fill('{"paymentId":"P-7","amount":49}')
    await page.getByRole('button', { name: 'Call', exact: true }).click()
    await page.getByRole('button', { name: 'Deny…' }).click()
    await page.getByLabel('Reason').fill('Too expensive')
    await page.getByRole('button', { name: 'Deny', exact: true }).click()
    const outcome = page.getByRole('region', { name: 'Outcome' })
    await outcome.locator('[data-status=denied]').waitFor()
    await outcome.getByText('Too expensive').first().waitFor()
    expect(refunds).toEqual([])
  })

  it('a replay with a changed result leads to another answer, and compares both runs', async () => {
    const { client, tab, page } = await opened()
    const run = await ran(client, where)
    await tab.show(`#/runs/${run}`)
    await page.locator('article').getByRole('link', { name: 'Replay' }).click()
    const result = page.getByLabel('Result that the model reads')
    await result.fill((await result.inputValue()).replace('"open"', '"lost"'))
    await page.getByText('changed', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Continue from here' }).click()
    await page.getByText('I am sorry: your order is lost.').first().waitFor()
    await page.getByText('Comparison').first().waitFor()
    await expect.poll(() => page.locator('.changed').count()).toBeGreaterThan(0)
  })

  it('an exported run is replayed from its file', async () => {
    const { client, tab, page } = await opened()
    const run = await ran(client, where)
    const { messages, summary } = await client.get(`api/runs/${run}`)
    await tab.show('#/replay')
    const file = (text: string) => ({ name: 'run.json', mimeType: 'application/json', buffer: Buffer.from(text) })
    const input = page.locator('input[type=file]')
    await input.setInputFiles(file('{"messages": 1}'))
    await page.getByText('run.json is neither an exported run nor a cassette.').waitFor()
    await input.setInputFiles(file(JSON.stringify({ summary, messages })))
    await page.getByRole('button', { name: 'Continue from here' }).click()
    await page.locator('article [data-status=completed]').first().waitFor()
  })

  it('10,000 events do not slow down the page', async () => {
    const number = 5_000
    const ping = tool({ name: 'ping', description: 'Ping.', parameters: { type: 'object' }, run: () => 1 })
    const requested = Array.from({ length: number }, () => ({ tool: 'ping' }))
    const runtime = new Runtime()
    const agent = base(scriptedModel([calls(...requested), says('Done.')])).build()
    const bound = runtime.registerAgent({ name: 'pinger', description: '' }, [toolset('pings', ping)], { agent })
    const { server, client } = await serve(demoProject([bound]))
    const { run } = await client.post('api/runs', { agent: 'pinger', input: 'Ping!' })
    await client.until(run, 'completed')
    const tab = await Tab.open(browser, server.url)
    const { page } = tab
    await tab.show(`#/runs/${run}`)
    const rows = page.locator('.timeline-slot')
    await expect
      .poll(() => page.locator('.timeline-rows').evaluate(({ clientHeight }) => clientHeight))
      .toBeGreaterThan(number * 30)
    expect(await rows.count()).toBeLessThan(100)
    // Time from the click to the next frame.
    const times = await page.evaluate<number[]>(`(async () => {
      const measured = []
      for (let index = 3; index < 8; index += 1) {
        const start = performance.now()
        document.querySelectorAll('.event-call .event-main')[index].click()
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
        measured.push(performance.now() - start)
      }
      return measured
    })()`)
    console.log(`10,000 events: opening an entry takes ${times.map((time) => time.toFixed(0)).join(', ')} ms`)
    expect(await page.locator('.event-detail').count()).toBe(5)
    await page.locator('.timeline').evaluate((element) => {
      element.scrollTop = element.scrollHeight
    })
    await page.getByText('Done.').waitFor()
  })

  it('imported servers are compared when a person asks for it', async () => {
    const { tab, page } = await opened()
    await tab.show('#/contract/drift')
    const compare = page.getByRole('button', { name: 'Compare with the servers' })
    await compare.waitFor()
    expect(await page.locator('[data-state]').count()).toBe(0)
    await compare.click()
    const changed = page.getByRole('region', { name: 'files' })
    await changed.getByText("The server no longer has the tool 'list_files'.").waitFor()
    await changed.getByText('run toolgen import mcp files').waitFor()
    await page.getByRole('region', { name: 'mail' }).getByText('no response within 30 s').waitFor()
    await page.getByRole('region', { name: 'calendar' }).getByText('unchanged').waitFor()
    expect(await tab.accessibilityProblems()).toEqual([])
    expect(tab.errors).toEqual([])
  })

  it('two tabs show the same runs, and an answer in one tab ends the question in the other', async () => {
    const { server, tab, page, refunds } = await opened()
    const second = await Tab.open(browser, server.url, { beside: tab })
    await tab.show('#/chat/support')
    await tab.say('Refund payment P-7, please.')
    await page.locator('[data-pending=approval]').waitFor()
    await second.show('#/runs')
    await second.page.locator('.side-item [data-status=waiting]').click()
    await second.page.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('The refund is on its way.').waitFor()
    // The state of the run and its parts arrive in different streams.
    await expect.poll(() => page.locator('[data-pending]').count()).toBe(0)
    expect(refunds).toHaveLength(1)
  })

  it('a reload keeps the arguments and the outcome of a call', async () => {
    const { tab, page } = await opened()
    await tab.show('#/tools/orders.getOrder?agent=support')
    await page.getByLabel('orderId').fill('A-7')
    await page.getByRole('button', { name: 'Call', exact: true }).click()
    const outcome = page.getByRole('region', { name: 'Outcome' })
    await outcome.getByText('"A-7"').first().waitFor()
    await page.reload()
    await outcome.getByText('"A-7"').first().waitFor()
    expect(await page.getByLabel('orderId').inputValue()).toBe('A-7')
    await tab.show('#/runs')
    await tab.show('#/tools/orders.getOrder?agent=support')
    await outcome.getByText('"A-7"').first().waitFor()
  })

  it('a key that is held down starts one call, also with a full session storage', async () => {
    const { tab, page } = await opened()
    await tab.show('#/tools/orders.getOrder?agent=support')
    const field = page.getByLabel('orderId')
    await field.fill('A-7')
    await page.evaluate(`for (let size = 1 << 22; size > 0; size >>= 1) {
      try {
        for (let index = 0; ; index += 1) sessionStorage.setItem(size + '-' + index, 'x'.repeat(size))
      } catch {}
    }`)
    await field.focus()
    await page.evaluate(`for (const repeat of [false, false, true]) {
      const event = { key: 'Enter', ctrlKey: true, bubbles: true, repeat }
      document.activeElement.dispatchEvent(new KeyboardEvent('keydown', event))
    }`)
    await page.getByRole('region', { name: 'Outcome' }).getByText('"A-7"').first().waitFor()
    await tab.show('#/chat/support')
    await page.getByRole('textbox', { name: 'Message' }).waitFor()
    await tab.show('#/runs')
    await page.locator('.side-item').first().waitFor()
    expect(await page.locator('.side-item').count()).toBe(1)
  })

  it('the page connects again after the server has started again', async () => {
    const { tools } = demoTools()
    const first = await mounted(tools, 0)
    const tab = await Tab.open(browser, `${first.url}/studio/`)
    const { page } = tab
    await tab.show('#/chat/support')
    await tab.say(where)
    await page.getByText('It contains two lamps').waitFor()
    await first.close()
    await page.locator('[data-connection=lost]').waitFor()
    const second = await mounted(tools, first.port)
    await page.locator('[data-connection=open]').waitFor()
    // The new server has no runs.
    await tab.show('#/runs')
    await page.getByText('No runs yet').first().waitFor()
    await tab.show('#/chat/support')
    await tab.say('Hello again')
    await page.getByText('You wrote: Hello again').waitFor()
    await second.close()
  })

  it('a running run that the server discards stays on the page, with the reason', async () => {
    const studio = new Studio({ maxRuns: 1 })
    const runtime = new Runtime({ sinks: [studio.sink] })
    let finish = (): void => undefined
    const finished = new Promise<void>((resolve) => {
      finish = resolve
    })
    const wait = tool({ name: 'wait', description: 'Waits.', parameters: { type: 'object' }, run: () => finished })
    const now = tool({ name: 'now', description: 'Ends.', parameters: { type: 'object' }, run: () => 1 })
    const bound = runtime.registerToolset(toolset('clock', wait, now))
    const server = await mounted([bound], 0, studio)
    onTestFinished(() => server.close())
    const waiting = bound.execute({ tool: 'clock.wait', arguments: '{}', toolCallId: 'c-1' }, {})
    const tab = await Tab.open(browser, `${server.url}/studio/`)
    const { page } = tab
    await tab.show('#/runs/c-1')
    const row = page.locator('[data-kind=call]')
    await row.waitFor()
    await bound.execute({ tool: 'clock.now', arguments: '{}' }, {})
    await page
      .getByRole('alert')
      .getByText('The studio keeps at most 1 runs and 64 MiB, so it discarded this run.')
      .waitFor()
    expect(await row.count()).toBe(1)
    finish()
    await waiting
    expect(tab.errors).toEqual([])
  })

  it('a changed project is shown without a reload, with its problems', async () => {
    const { server, page } = await opened()
    await page.locator('.side-item').first().waitFor()
    const problem = {
      severity: 'error',
      code: 'TG1004',
      message: 'The design has an error.',
      next: 'Correct it.',
    } as const
    server.show(demoProject([], { generation: 2, canCall: false, reason: 'No module.', problems: [problem] }))
    await page.getByText('This project has no tools yet').waitFor()
    await page.getByText('The design has an error.').waitFor()
    await page.getByText('no calls').waitFor()
  })

  it('a save keeps what a person typed, and says that the arguments have changed', async () => {
    const toolOf = (more: object) =>
      new Runtime().registerToolset(
        toolset(
          'notes',
          tool({
            name: 'add',
            description: 'Adds a note.',
            parameters: { type: 'object', properties: { text: { type: 'string' }, ...more } },
            run: () => 1,
          }),
        ),
      )
    const project = (generation: number, more = {}) =>
      demoProject([toolOf(more)], { generation, name: `v${generation}` })
    const { server } = await serve(project(1))
    const tab = await Tab.open(browser, server.url)
    const { page } = tab
    await tab.show('#/tools/notes.add')
    const field = page.getByLabel('text')
    await field.fill('Buy a lamp')
    const element = await field.elementHandle()
    const shown = async (generation: number, more?: object) => {
      server.show(project(generation, more))
      await page.getByRole('heading', { name: `v${generation}` }).waitFor()
    }
    // The field is not replaced, and keeps the focus.
    await shown(2)
    await page.keyboard.type('!')
    await expect.poll(() => field.inputValue()).toBe('Buy a lamp!')
    expect(await element?.evaluate((node) => node.isConnected)).toBe(true)
    const notice = page.getByText('The arguments of this tool have changed.')
    expect(await notice.count()).toBe(0)
    await shown(3, { due: { type: 'string', format: 'date' } })
    await notice.waitFor()
    await page.getByLabel('due').waitFor()
    expect(await field.inputValue()).toBe('Buy a lamp!')
    // An edit is written for the new arguments.
    await field.fill('Buy two lamps')
    await notice.waitFor({ state: 'detached' })
    expect(tab.errors).toEqual([])
  })

  it('hostile names, descriptions and results are text', async () => {
    const evil = '<img src=x onerror="window.broken=1"><script>window.broken=1</script>[x](javascript:window.broken=1)'
    const run = tool({
      name: 'evil',
      title: evil,
      description: evil,
      parameters: {
        type: 'object',
        properties: { [evil]: { type: 'string', title: evil, description: evil, examples: [evil] } },
      },
      run: () => ({ [evil]: evil }),
    })
    const steps = [{ ...says(evil), calls: [{ tool: 'evil', arguments: { [evil]: evil } }] }, says(evil)]
    const agent = base(scriptedModel(steps)).build()
    const bound = new Runtime().registerAgent(
      { name: 'evil', description: evil, instructions: evil },
      [toolset('evil', run)],
      { agent },
    )
    const problem = { severity: 'warning', message: evil } as const
    const { server } = await serve(demoProject([bound], { name: evil, problems: [problem] }))
    const tab = await Tab.open(browser, server.url)
    const { page } = tab
    const show = async (hash: string, text: string) => {
      await tab.show(hash)
      await page.getByText(text).locator('visible=true').first().waitFor()
    }
    await show('#/tools/evil.evil?agent=evil', '<img src=x')
    await page.getByRole('button', { name: 'Call', exact: true }).click()
    await page.getByRole('region', { name: 'Outcome' }).locator('[data-status=completed]').waitFor()
    await show('#/tools/evil.evil?agent=evil&tab=contract', 'function evil')
    await show('#/tools/evil.evil?agent=evil&tab=models', 'OpenAI')
    await show('#/chat/evil', 'Talk to evil')
    await tab.say(evil)
    await expect.poll(() => page.locator('.bubble-agent').count()).toBe(2)
    // Only the text of the link is left of it.
    expect(await page.locator('.bubble-agent').first().textContent()).toBe(evil.replace(/\[x\].*$/, 'x'))
    expect(await page.locator('.bubble-agent a').count()).toBe(0)
    await page.getByRole('link', { name: 'Timeline' }).click()
    await page.locator('[data-kind=call]').waitFor()
    expect(await page.evaluate('"broken" in window')).toBe(false)
    expect(await page.locator('main img, main script').count()).toBe(0)
    expect(tab.foreign).toEqual([])
  })
})
