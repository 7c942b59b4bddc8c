import { existsSync } from 'node:fs'

/** Path of Chromium or Chrome, or `undefined` if it is not installed. Default: the environment variable CHROMIUM, then the usual paths. */
export const chromiumPath = [
  process.env.CHROMIUM ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
].find((path) => path !== '' && existsSync(path))

/** Options of Playwright's `chromium.launch` that start this browser without its background requests. */
export const launchOptions = {
  executablePath: chromiumPath ?? '',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
}
