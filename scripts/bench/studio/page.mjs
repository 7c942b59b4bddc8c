import { createRequire } from 'node:module'
import { join } from 'node:path'
import { chromiumPath, launchOptions } from '../../lib/chromium.mjs'
import { root } from '../../lib/run.mjs'

/**
 * Opens the studio in Chromium and calls `work` with functions that measure its page, or with `undefined` if there is no Chromium.
 *
 * - `calls(count)`: times from a click on "Call" until the page has painted the result, in milliseconds.
 * - `openedEntries(run, count)`: times from a click on an entry of a run until the next frame, in milliseconds.
 */
export async function inBrowser(url, work) {
  if (chromiumPath === undefined) return work(undefined)
  const { chromium } = createRequire(join(root, 'test/package.json'))('playwright-core')
  const browser = await chromium.launch(launchOptions)
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
    await page.goto(url)
    await page.locator('[data-connection=open]').waitFor()
    return await work({
      async calls(count) {
        await show(page, '#/tools/orders.getOrder?agent=support')
        await page.getByLabel('orderId').fill('A-1001')
        await page.getByRole('button', { name: 'Call', exact: true }).click()
        await page.getByRole('region', { name: 'Outcome' }).locator('[data-status=completed]').waitFor()
        return page.evaluate(measureCalls, count)
      },
      async openedEntries(run, count) {
        await show(page, `#/runs/${run}`)
        await page.locator('.event-call .event-main').nth(5).waitFor()
        return page.evaluate(measureEntries, count)
      },
    })
  } finally {
    await browser.close()
  }
}

const show = (page, hash) => page.evaluate((to) => location.assign(to), hash)

/** Runs in the page. A call has ended when the page shows its result and the button is enabled again. */
async function measureCalls(count) {
  const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
  const button = () =>
    [...document.querySelectorAll('button:not([role=tab])')].find(({ textContent }) => textContent === 'Call')
  const result = () => document.querySelector('[aria-label=Outcome]')?.textContent.match(/call-\d+/)?.[0]
  const times = []
  for (let index = -3; index < count; index += 1) {
    const before = result()
    const started = performance.now()
    button().click()
    await new Promise((resolve) => {
      const observer = new MutationObserver(() => {
        const shown = result()
        if (shown === undefined || shown === before || button()?.disabled !== false) return
        observer.disconnect()
        resolve()
      })
      observer.observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true })
    })
    await frame()
    if (index >= 0) times.push(performance.now() - started)
  }
  return times
}

/** Runs in the page. */
async function measureEntries(count) {
  const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
  const times = []
  for (let index = 0; index < count; index += 1) {
    const started = performance.now()
    document.querySelectorAll('.event-call .event-main')[3 + (index % 5)].click()
    await frame()
    times.push(performance.now() - started)
  }
  return times
}
