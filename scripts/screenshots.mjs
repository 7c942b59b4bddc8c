// `npm run screenshots`: writes pictures of the studio with the example `studio` to docs/images, in both themes. Needs Chromium; the variable
// CHROMIUM is its path.
import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { chromiumPath, launchOptions } from './lib/chromium.mjs'
import { root } from './lib/run.mjs'
import { setUp } from './lib/setup.mjs'

if (process.argv.length > 2) {
  const isHelp = ['-h', '--help'].includes(process.argv[2])
  console[isHelp ? 'log' : 'error']('usage: npm run screenshots')
  process.exit(isHelp ? 0 : 2)
}
if (chromiumPath === undefined) {
  console.error('There is no Chromium. Install it, or set CHROMIUM to its path.')
  process.exit(1)
}
const { chromium } = createRequire(join(root, 'test/package.json'))('playwright-core')
await setUp()
const folder = join(root, 'docs/images')
mkdirSync(folder, { recursive: true })
const example = join(root, 'examples/studio')
const server = spawn(
  process.execPath,
  [join(root, 'packages/codegen/bin/toolgen.js'), 'dev', '--no-open', '--port', '0'],
  {
    cwd: example,
    stdio: ['ignore', 'ignore', 'pipe'],
  },
)
const browser = await chromium.launch(launchOptions)
try {
  const url = await printedUrl()
  const first = await start(url, 'light', 1280)
  await writeConversations(first)
  const runWith = (text) => first.locator('[data-run]', { hasText: text }).first().getAttribute('data-run')
  const ended = await runWith('Where are')
  const waiting = await runWith('cancel A-1003')
  for (const theme of ['light', 'dark']) {
    const page = await start(url, theme, 1280)
    await take(page, `studio-tools-${theme}`, '#/tools/orders.getOrder?agent=support', callTool)
    await take(page, `studio-run-${theme}`, `#/runs/${ended}`, openCall)
    await take(page, `studio-chat-${theme}`, '#/chat/support', (each) =>
      ask(each, 'My order A-1002 arrived broken.', '[data-pending]'),
    )
    await take(page, `studio-contract-${theme}`, '#/contract/tokens', (each) => each.locator('.bars').first().waitFor())
    await take(page, `studio-replay-${theme}`, `#/replay/${ended}`)
    const narrow = await start(url, theme, 390)
    await take(narrow, `studio-narrow-${theme}`, `#/runs/${waiting}`)
  }
} finally {
  await browser.close()
  server.kill()
}
const bytes = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
console.log(`docs/images: ${readdirSync(folder).length} pictures, ${Math.round(bytes / 1024)} KiB`)

/** Returns the URL that `toolgen dev` prints. */
async function printedUrl() {
  for await (const line of createInterface({ input: server.stderr })) {
    const url = line.match(/http:\/\/127\.0\.0\.1:\S+/)?.[0]
    if (url !== undefined) {
      server.stderr.resume()
      return url
    }
  }
  throw new Error('`toolgen dev` has ended.')
}

async function start(url, colorScheme, width) {
  const height = width < 500 ? 844 : 800
  const context = await browser.newContext({ colorScheme, viewport: { width, height } })
  const page = await context.newPage()
  await page.goto(url)
  await page.locator('[data-connection=open]').waitFor()
  return page
}

async function take(page, name, hash, prepare = () => undefined) {
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`)
  await page.locator('main h2, main textarea').first().waitFor()
  await prepare(page)
  await page.waitForTimeout(600)
  await page.screenshot({ path: join(folder, `${name}.png`) })
}

async function writeConversations(page) {
  await page.evaluate('location.hash = "#/chat/support"')
  await ask(page, 'Where are A-1001 and A-1002?', '.bubble-agent')
  await page.evaluate('location.hash = "#/chat/support"')
  await ask(page, 'Please cancel A-1003, then tell me about A-1002.', '[data-pending], .bubble-agent')
  await page.evaluate('location.hash = "#/runs"')
  await page.locator('[data-run]').first().waitFor()
}

async function ask(page, text, answer) {
  const box = page.getByRole('textbox', { name: 'Message' })
  await box.fill(text)
  await box.press('Enter')
  await page.locator(answer).first().waitFor()
}

async function callTool(page) {
  await page.getByRole('button', { name: 'Call', exact: true }).click()
  await page.getByRole('region', { name: 'Outcome' }).locator('[data-status=completed], [data-status=failed]').waitFor()
}

async function openCall(page) {
  await page.locator('.event-call .event-main').first().click()
}
