#!/usr/bin/env node
import process from 'node:process'
import { runProcess } from '../dist/cli/run-process.js'

runProcess(process)
