import { record } from './demo.js'

const runs = await record({ env: process.env, print: console.log })
process.exitCode = Object.values(runs).every(({ status }) => status === 'completed') ? 0 : 1
