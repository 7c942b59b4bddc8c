import { existsSync } from 'node:fs'

/** Path of Chromium or Chrome, or `undefined` if it is not installed. Default: the environment variable CHROMIUM, then the usual paths. */
export const chromiumPath = [
  process.env.CHROMIUM ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
].find((path) => path !== '' && existsSync(path))

/**
 * Features that cost CPU time or send requests, and that pages do not need. Without the popups of the address bar and the spare process, a new
 * page takes half of the CPU time. The list replaces Playwright's list, so it repeats the features of that list which concern these tests.
 */
const DISABLED_FEATURES = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'SpareRendererForSitePerProcess',
  'AimEnabled',
  'HttpsUpgrades',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
]

/** Options of Playwright's `chromium.launch` that start this browser without its background requests. */
export const launchOptions = {
  executablePath: chromiumPath ?? '',
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-background-networking',
    '--disable-component-update',
    `--disable-features=${DISABLED_FEATURES.join(',')}`,
  ],
}
