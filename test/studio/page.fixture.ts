import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { chromiumPath } from '../../scripts/lib/chromium.mjs'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Reason in the title of skipped tests. */
export const skipped = chromiumPath === undefined ? ' (skipped: install Chromium, or set CHROMIUM to its path)' : ''

export interface TabOptions {
  readonly theme?: 'light' | 'dark'
  readonly width?: number
  /** Tab whose cookies the new tab shares. */
  readonly beside?: Tab
}

/** Tab of a browser with the studio. Ends with the test. */
export class Tab {
  readonly page: Page
  /** Errors of the page and of its console. */
  readonly errors: string[] = []
  /** URLs of requests to other hosts. */
  readonly foreign: string[] = []

  private constructor(page: Page, url: string) {
    this.page = page
    page.on('pageerror', ({ message }) => this.errors.push(message))
    page.on('console', (message) => {
      if (message.type() === 'error') this.errors.push(`${message.text()} ${message.location().url}`)
    })
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url())
      if (origin !== new URL(url).origin && protocol !== 'data:' && protocol !== 'blob:')
        this.foreign.push(request.url())
    })
  }

  static async open(browser: Browser, url: string, options: TabOptions = {}): Promise<Tab> {
    const { theme = 'light', width = 1280, beside } = options
    const context =
      beside?.page.context() ?? (await browser.newContext({ colorScheme: theme, viewport: { width, height: 800 } }))
    const page = await context.newPage()
    onTestFinished(() => page.close())
    if (beside === undefined) onTestFinished(() => context.close())
    const tab = new Tab(page, url)
    await page.goto(url)
    await page.locator('[data-connection=open]').waitFor()
    return tab
  }

  /** Opens a page of the studio. */
  async show(hash: string): Promise<void> {
    await this.page.evaluate(`location.hash = ${JSON.stringify(hash)}`)
  }

  /** Sends a message on the page "Chat". */
  async say(text: string): Promise<void> {
    const box = this.page.getByRole('textbox', { name: 'Message' })
    await box.fill(text)
    await box.press('Enter')
  }

  /** Returns the accessibility problems that axe reports as serious or critical. */
  async accessibilityProblems(): Promise<readonly string[]> {
    // The page forbids inline scripts, but the debugger can evaluate code. Loading axe costs as much as a check.
    if (await this.page.evaluate('globalThis.axe === undefined')) await this.page.evaluate(axeSource)
    const { violations } = await this.page.evaluate<axe.AxeResults>(
      'axe.run(document, { resultTypes: ["violations"] })',
    )
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`))
  }

  /** Returns the difference between the widths of content and window: at most 0 without horizontal scrolling. */
  overflow(): Promise<number> {
    return this.page.evaluate('document.documentElement.scrollWidth - innerWidth')
  }
}
