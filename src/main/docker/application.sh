#!/usr/bin/env bash
# Prepares /trainyard of an image: Dockerfile.jvm runs this in its build stage.
#
#   application.sh FOLDER APP [FLEET]    APP: a packaged application; FLEET: the whole application, if APP is the worker only
#
# FOLDER/fixed gets the files that are equal in all builds of a commit, FOLDER/generated the others.
set -euo pipefail

readonly folder=$1 app=$2 fleet=${3:-} jvm=src/main/jvm
mkdir -p /trainyard "$folder/fixed" "$folder/generated/trainyard/app/quarkus"
cp --recursive "$app" /trainyard/app
cp LICENSE NOTICE /trainyard
{
  cat "$jvm/flags" ${fleet:+"$jvm/worker-flags"}
  echo '-XX:SharedArchiveFile=/trainyard/app/classes.jsa -Xlog:cds=off,aot=off'
} >/trainyard/flags

# Natives of other platforms, and JCuda's compiler of PTX, which is not used.
for jar in /trainyard/app/lib/main/{at.yawk.lz4,com.github.luben.zstd,org.jcuda.jcuda-natives,org.xerial.s}*.jar; do
  content=$(mktemp -d)
  (cd "$content" && "$JAVA_HOME/bin/jar" --extract --file "$jar")
  find "$content" -regex '.*\.\(so\|dll\|dylib\|jnilib\|a\)' ! -path '*/lib/libJ*' \
    ! -iregex ".*/linux/\(amd64\|$(uname -m)\)/[^/]*" -delete
  find "$content" -name 'libJNvPTXCompiler*' -delete
  "$JAVA_HOME/bin/jar" --create --file "$jar" --no-manifest --date="$(date --reference=pom.xml --utc +%FT%TZ)" -C "$content" .
  rm -r "$content"
done

# The archive fits only this Java and these jars, at these paths, with these times.
find /trainyard -exec touch --no-dereference --reference=pom.xml {} +
JAVA_HOME=/opt/java/runtime "$jvm/archive-classes.sh" /trainyard/app $fleet
mv /trainyard/app/classes.jsa "$folder/generated/trainyard/app"
mv /trainyard/app/quarkus/generated-bytecode.jar "$folder/generated/trainyard/app/quarkus"
mv /trainyard "$folder/fixed"
find "$folder" -exec touch --no-dereference --reference=pom.xml {} +
