// A chain of bars on hinges in MuJoCo, the peer of benchmarks/joint_chain:  mujoco_chain BARS STEPS
//   c++ -O2 mujoco_chain.cpp -lmujoco -o mujoco_chain          (libmujoco-dev)
#include <mujoco/mujoco.h>

#include <cstdio>
#include <cstdlib>
#include <string>

int main(int argc, char** argv)
{
    if (argc != 3) return 2;
    const int bars = std::atoi(argv[1]), steps = std::atoi(argv[2]);
    std::string text = "<mujoco><size njmax='100' nconmax='10'/><option timestep='0.001'/><worldbody>";
    for (int i = 0; i < bars; ++i) {
        text += i == 0 ? "<body>" : "<body pos='.1 0 0'>";
        text += "<joint type='hinge' axis='0 1 0'/>"
                "<geom type='box' size='.05 .01 .01' pos='.05 0 0' contype='0' conaffinity='0'/>";
    }
    for (int i = 0; i < bars; ++i) {
        text += "</body>";
    }
    text += "</worldbody></mujoco>";

    mjVFS files;
    mj_defaultVFS(&files);
    mj_makeEmptyFileVFS(&files, "chain.xml", static_cast<int>(text.size()) + 1);
    text.copy(static_cast<char*>(files.filedata[0]), text.size());
    char error[1000] = "";
    mjModel* model = mj_loadXML("chain.xml", &files, error, sizeof error);
    if (model == nullptr) {
        std::fprintf(stderr, "%s\n", error);
        return 1;
    }
    mjData* data = mj_makeData(model);
    for (int i = 0; i < steps; ++i) {
        mj_step(model, data);
    }
    std::printf("%d bars, %d steps, end of the last at height %g m\n", bars, steps, data->xpos[3 * bars + 2]);
    mj_deleteData(data);
    mj_deleteModel(model);
}
