import { existsSync } from 'node:fs'

/** Path of Chromium or Chrome on this machine; `undefined` if there is none. The variable CHROMIUM overrides the usual places. */
export const chromiumPath = [
  process.env.CHROMIUM ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
].find((path) => path !== '' && existsSync(path))

/** Options with which `chromium.launch` of Playwright starts this browser, without requests of its own. */
export const launchOptions = {
  executablePath: chromiumPath ?? '',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
}
