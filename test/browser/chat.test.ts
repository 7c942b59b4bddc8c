import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import type { ModelDriver } from '@toolgen/runtime/agents'
import type { UIMessageStreamOptions } from '@toolgen/runtime/ai-sdk'
import { calls, says, scriptedModel } from '@toolgen/runtime/testing'
import { type Browser, chromium, type Page } from 'playwright-core'
import { rolldown } from 'rolldown'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { chromiumPath, launchOptions } from '../../scripts/lib/chromium.mjs'
import { chatRoute, shopAgent } from './route.js'

const title = chromiumPath === undefined ? ' (skipped: install Chromium, or set CHROMIUM to its path)' : ''

describe.skipIf(chromiumPath === undefined)(`useChat in a browser${title}`, () => {
  let browser: Browser
  let script: string
  const ends: (() => Promise<unknown> | unknown)[] = []

  beforeAll(async () => {
    const bundle = await rolldown({
      input: fileURLToPath(new URL('./page.mjs', import.meta.url)),
      platform: 'browser',
      logLevel: 'silent',
      transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    })
    const { output } = await bundle.generate({ format: 'esm', codeSplitting: false })
    script = output[0].code
    browser = await chromium.launch(launchOptions)
  })
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end()
  })
  afterAll(() => browser?.close())

  /** Opens the page of an agent. Returns it with the statuses of the ended runs. */
  async function opened(model: ModelDriver, options: UIMessageStreamOptions = {}) {
    const statuses: string[] = []
    const agent = shopAgent(model, (event) => {
      if (event.type === 'run_ended') statuses.push(event.status)
    })
    const route = chatRoute(agent, options)
    const server = createServer(async (request, response) => {
      if (request.url === '/page.js') return response.setHeader('content-type', 'text/javascript').end(script)
      if (request.url !== '/api/chat') {
        return response.setHeader('content-type', 'text/html').end('<body><script type=module src=/page.js></script>')
      }
      const { status, headers, body } = await route(await requestOf(request))
      response.writeHead(status, Object.fromEntries(headers))
      // The pipeline cancels the stream if the browser has closed the connection.
      return pipeline(Readable.fromWeb(body as never), response).catch(() => undefined)
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const page = await browser.newPage()
    ends.push(
      () => page.close(),
      () => void server.close().closeAllConnections(),
    )
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    return { page, statuses }
  }

  async function ask(page: Page, text: string): Promise<void> {
    await page.fill('input', text)
    await page.press('input', 'Enter')
  }

  const cancel = calls({ tool: 'cancel', arguments: { orderId: 'A-1' }, toolCallId: 'c-1' })

  it('shows the words of the answer while the model writes them', async () => {
    let release = (): void => undefined
    const waits = new Promise<void>((resolve) => {
      release = resolve
    })
    const driver: ModelDriver = {
      name: 'slow',
      ask: async (request) => {
        request.onDelta?.({ type: 'reasoning', text: 'Hm.' })
        request.onDelta?.({ type: 'text', text: 'It costs ' })
        await waits
        request.onDelta?.({ type: 'text', text: '12.50.' })
        return { message: { role: 'assistant', content: 'It costs 12.50.' }, calls: [], finishReason: 'stop' }
      },
    }
    const { page } = await opened(driver)
    await ask(page, 'What does it cost?')
    await page.getByText('It costs', { exact: true }).waitFor()
    expect(await page.textContent('i')).toBe('Hm.')
    expect(await page.textContent('#status')).toBe('streaming')
    release()
    await page.getByText('It costs 12.50.').waitFor()
    await page.locator('#status', { hasText: 'ready' }).waitFor()
  })

  it.each([
    ['Approve', '{"cancelled":"A-1"}', 'output-available'],
    ['Deny', 'The approval was not granted', 'output-error'],
  ])('a click on %s continues the suspended run', async (button, result, state) => {
    const { page, statuses } = await opened(scriptedModel([cancel, says('Done.')]))
    await ask(page, 'Cancel A-1.')
    await page.getByRole('button', { name: button }).click()
    await page.getByText('Done.').waitFor()
    const call = page.locator('[data-tool=tool-cancel]')
    expect(await call.getAttribute('data-state')).toBe(state)
    expect(await call.textContent()).toContain(result)
    expect(await page.locator('article').count()).toBe(2)
    expect(statuses).toEqual(['suspended', 'completed'])
  })

  it('shows the last update of a streaming tool', async () => {
    const track = calls({ tool: 'track', arguments: { orderId: 'A-1' }, toolCallId: 'c-1' })
    const { page } = await opened(scriptedModel([track, says('At home.')]))
    await ask(page, 'Where is it?')
    await page.getByText('At home.').waitFor()
    expect(await page.locator('em').allTextContents()).toEqual(['Oslo'])
    expect(await page.textContent('[data-tool=tool-track]')).toBe('{"place":"home"}')
  })

  it.each([
    ['cancel', 'cancelled'],
    ['detach', 'completed'],
  ] as const)('a click on Stop with `%s` ends the run as %s', async (onDisconnect, status) => {
    let release = (): void => undefined
    const waits = new Promise<void>((resolve) => {
      release = resolve
    })
    const model = scriptedModel([
      calls({ tool: 'find', arguments: { orderId: 'A-1' } }),
      async ({ meta }) => {
        await Promise.race([waits, new Promise((_, reject) => meta.signal.addEventListener('abort', reject))])
        return says('It costs 12.50.')
      },
    ])
    const { page, statuses } = await opened(model, { onDisconnect })
    await ask(page, 'What does it cost?')
    await page.locator('[data-state=output-available]').waitFor()
    await page.click('#stop')
    await page.locator('#status', { hasText: 'ready' }).waitFor()
    if (onDisconnect === 'detach') release()
    await expect.poll(() => statuses).toEqual([status])
  })

  it('shows the error of a failed run', async () => {
    const { page } = await opened(scriptedModel([Object.assign(new Error('secret'), { status: 429 })]))
    await ask(page, 'Hello?')
    expect(await page.textContent('#error')).toMatch(/rate limit is exceeded/)
    expect(await page.textContent('body')).not.toContain('secret')
  })

  it('texts of models and tools are text, and no scripts run', async () => {
    const evil = '<img src=x onerror="document.title=\'broken\'"><script>document.title="broken"</script>'
    const { page } = await opened(scriptedModel([calls({ tool: 'find', arguments: { orderId: evil } }), says(evil)]))
    await ask(page, evil)
    await page.locator('[data-role=assistant] p').waitFor()
    expect(await page.textContent('[data-role=assistant] p')).toBe(evil)
    expect(await page.title()).toBe('')
  })
})

async function requestOf(request: IncomingMessage): Promise<Request> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return new Request(`http://shop${request.url}`, { method: 'POST', body: Buffer.concat(chunks) })
}
